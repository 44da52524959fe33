// Where the worker of the installed package is. The package's CMake target compiles this into each program that links
// nestwright::static, whose own definition, which knows none, it replaces (measure/process/worker_process.h).
namespace nestwright {

[[gnu::weak]] const char* installed_worker() { return NESTWRIGHT_WORKER_PATH; }

}  // namespace nestwright
