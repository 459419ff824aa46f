// Loads one plugin in a process of its own and prints what came of it; for tests that need their own environment.
//   host_load PLUGIN [LIBRARY_DIRECTORY]
#include <cstdio>

#include <tlsrig/host/backend.hpp>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    const auto backend = tlsrig::host::Backend::load(argv[1], argc > 2 ? argv[2] : "");
    std::printf("loaded %s\n", backend.info().name);
    for (const auto& file : backend.files()) std::printf("file %s %s\n", file.path.c_str(), file.build_id.c_str());
    for (const auto& warning : backend.warnings()) std::printf("warning %s\n", warning.c_str());
    return 0;
  } catch (const tlsrig::host::Refusal& refusal) {
    std::printf("refused %s\n", refusal.what());
    return 1;
  }
}
