// What Verilator's fatal errors become: an exception that the model's shim catches.
#pragma once
#include <stdexcept>
#include <string>

struct NicFatal : std::runtime_error {
  using std::runtime_error::runtime_error;
};
