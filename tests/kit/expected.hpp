// What `tlsrig check` is to say of each plugin of the kit.
#pragma once

#include <string>
#include <vector>

namespace tlsrig::tests::kit {

// Regular expressions (POSIX, extended), each found somewhere in its part of the message.
struct ExpectedStep {
  std::string name;     // whole: "conversation/wire/none", "load"
  std::string verdict;  // "FAIL"
  std::string what;     // of SKIP: the reason
  std::string where = {};
  std::string output = {};  // what the plugin printed
};

struct Expected {
  std::string number;  // P13: what is bad; G5: a control; E..: bad too, beyond the numbered ones
  std::string name;    // NAME.so, unless it is made from another file (kit.cpp)
  int status = 1;
  std::string verdict = "FAIL";  // of the plugin as a whole
  std::vector<ExpectedStep> steps = {};
  std::vector<std::string> lines = {};      // of what is printed for people, in this order
  std::vector<std::string> arguments = {};  // of the command, beside the file
  std::string wraps = {};                   // the backend that it is made around; empty: it needs none
  bool repeats = false;                     // the command of the message, run as it stands, finds the same
};

const std::vector<Expected>& expected();

}  // namespace tlsrig::tests::kit
