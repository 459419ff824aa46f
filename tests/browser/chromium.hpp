// Headless Chromium as a user's browser: pages from files, without a network, each time with a new profile.
#pragma once

#include <filesystem>
#include <string>

namespace tlsrig::tests {

enum class Scheme { light, dark };

// Each call starts Chromium once, with its profile in `directory`, and throws std::runtime_error when the program is
// not there (named, with the cure), fails, or takes longer than 30 s; then it is killed with its children.
class Chromium {
 public:
  explicit Chromium(std::filesystem::path directory);

  // The page as it is once it was loaded and its scripts have run.
  std::string dumped(const std::filesystem::path& page, Scheme scheme) const;

  // Writes a PNG of a window of this size.
  void shoot(const std::filesystem::path& page, Scheme scheme, int width, int height,
             const std::filesystem::path& picture) const;

  void print(const std::filesystem::path& page, const std::filesystem::path& pdf) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace tlsrig::tests
