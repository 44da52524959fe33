// The nestwright executable.
#include "cli/run.h"

int main(int argc, char** argv) { return nestwright::cli::run_command_line(argc, argv); }
