// Replaces Verilator's handlers, whose defaults end the whole process: a second $finish calls
// exit(0), and a test run would end green with results missing.
#include "verilated.h"
#include "verilated_cov.h"
#include "verilated_vcd_c.h"

#include "fatal.h"

void vl_finish(const char*, int, const char*) VL_MT_UNSAFE {
  Verilated::threadContextp()->gotFinish(true);
}

void vl_stop(const char*, int, const char*) VL_MT_UNSAFE {
  Verilated::threadContextp()->gotError(true);
  Verilated::threadContextp()->gotFinish(true);
}

void vl_fatal(const char* file, int line, const char*, const char* message) VL_MT_UNSAFE {
  Verilated::threadContextp()->gotError(true);
  std::string where = file && *file ? std::string(file) + ":" + std::to_string(line) + ": " : "";
  throw NicFatal(where + (message ? message : "fatal error"));
}

// The linker takes an archive member only when something names it; models need these two.
extern "C" void nic_keep_coverage(VerilatedContext* context, const char* path) {
  context->coveragep()->write(path);
}
extern "C" void* nic_keep_vcd() { return new VerilatedVcdC; }
