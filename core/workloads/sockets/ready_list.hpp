// Those that have more to do than an event will tell of: bytes inside a library or a window raise none. They take turns
// behind the events. What stands in the list has a flag `ready` for that.
#pragma once

#include <cstddef>
#include <vector>

namespace tlsrig::workloads {

template <class Member>
class ReadyList {
 public:
  // Room for so many, made beforehand: nothing is allocated in a loop.
  void reserve(std::size_t members) {
    ready_.reserve(members);
    turning_.reserve(members);
  }

  bool empty() const noexcept { return ready_.empty(); }
  void clear() noexcept { ready_.clear(); }

  void add(Member& member) {
    if (member.ready) return;
    member.ready = true;
    ready_.push_back(&member);
  }

  // A turn for each that stands in the list now. Once `stop` is set the others keep their places for the next step.
  template <class Turn>
  void serve(const bool& stop, Turn&& turn) {
    if (ready_.empty()) return;
    turning_.swap(ready_);
    for (std::size_t i = 0; i < turning_.size(); ++i) {
      if (stop) {
        ready_.push_back(turning_[i]);
        continue;
      }
      turning_[i]->ready = false;
      turn(*turning_[i]);
    }
    turning_.clear();
  }

 private:
  std::vector<Member*> ready_, turning_;
};

}  // namespace tlsrig::workloads
