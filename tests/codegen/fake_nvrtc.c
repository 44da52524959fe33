/* A fake NVRTC that compiles nothing: its code is a made-up cubin, its log that of ptxas for 40 registers a thread. The
 * environment configures it: FAKE_NVRTC_VERSION is its version (1204 for 12.4, the default), and FAKE_NVRTC may contain
 * "silent" for an empty log unless the option --no-cache is given, "mute" for an empty log, "old" to refuse that
 * option, and "large" to reserve 4 GiB of address space. Prototypes are those of nvrtc.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { success = 0, out_of_memory = 1, invalid_option = 5 };

struct program {
  char kernels[8][128];
  int count;
  char log[4096];
};

static int is_told(const char* word) {
  const char* const told = getenv("FAKE_NVRTC");
  return told != NULL && strstr(told, word) != NULL;
}

int nvrtcVersion(int* major, int* minor) {
  const char* const told = getenv("FAKE_NVRTC_VERSION");
  const int version = told != NULL ? atoi(told) : 1204;
  *major = version / 100;
  *minor = version % 100;
  return success;
}
int nvrtcGetNumSupportedArchs(int* count) { return *count = 2, success; }
int nvrtcGetSupportedArchs(int* numbers) { return numbers[0] = 80, numbers[1] = 90, success; }
const char* nvrtcGetErrorString(int error) { return error == success ? "no error" : "NVRTC_ERROR_INVALID_OPTION"; }

int nvrtcCreateProgram(struct program** made, const char* source, const char* name, int headers,
                       const char* const* texts, const char* const* names) {
  (void)name, (void)headers, (void)texts, (void)names;
  if (is_told("large")) {
    void* const reserved = mmap(NULL, (size_t)4 << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return out_of_memory;
    munmap(reserved, (size_t)4 << 30);
  }
  struct program* const program = calloc(1, sizeof *program);
  static const char bounds[] = "__launch_bounds__(";
  for (const char* at = strstr(source, bounds); at != NULL && program->count < 8; at = strstr(at, bounds)) {
    at = strchr(at, ')') + 2;
    sscanf(at, "%127[^(]", program->kernels[program->count++]);
  }
  return *made = program, success;
}
int nvrtcDestroyProgram(struct program** program) { return free(*program), *program = NULL, success; }

int nvrtcCompileProgram(struct program* program, int count, const char* const* options) {
  int uncached = 0;
  for (int i = 0; i < count; ++i) uncached |= strcmp(options[i], "--no-cache") == 0;
  if (uncached && is_told("old")) {
    snprintf(program->log, sizeof program->log, "nvrtc: error: unrecognized option --no-cache found\n");
    return invalid_option;
  }
  if (is_told("mute") || (is_told("silent") && !uncached)) return success;
  size_t used = 0;
  for (int k = 0; k < program->count; ++k) {
    used += (size_t)snprintf(program->log + used, sizeof program->log - used,
                             "ptxas info    : Compiling entry function '%s' for 'sm_90'\n"
                             "ptxas info    : Used 40 registers, 1024 bytes smem, 400 bytes cmem[0]\n",
                             program->kernels[k]);
  }
  return success;
}

static const char cubin[] = "\177ELF made up", ptx[] = ".version 8.0";
int nvrtcGetProgramLogSize(struct program* program, size_t* size) { return *size = strlen(program->log) + 1, success; }
int nvrtcGetProgramLog(struct program* program, char* log) { return strcpy(log, program->log), success; }
int nvrtcGetCUBINSize(struct program* program, size_t* size) { return (void)program, *size = sizeof cubin, success; }
int nvrtcGetCUBIN(struct program* program, char* to) { return (void)program, memcpy(to, cubin, sizeof cubin), success; }
int nvrtcGetPTXSize(struct program* program, size_t* size) { return (void)program, *size = sizeof ptx, success; }
int nvrtcGetPTX(struct program* program, char* to) { return (void)program, memcpy(to, ptx, sizeof ptx), success; }
