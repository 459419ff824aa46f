// `tlsrig check` as its users call it: which steps are run, what is told of them, and the exit status.
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "support/program.hpp"

using namespace tlsrig::tests;

namespace {

using Json = nlohmann::json;

std::string plugin(const std::string& name) { return std::string(KIT_PLUGINS) + "/" + name + ".so"; }

Ended check(std::vector<std::string> arguments) {
  const Scratch scratch;
  arguments.insert(arguments.begin(), "check");
  return run_program(arguments, scratch.path());
}

Json check_json(std::vector<std::string> arguments, int status) {
  arguments.emplace_back("--json");
  const Ended ended = check(std::move(arguments));
  INFO(ended.err);
  CHECK(ended.status == status);
  return Json::parse(ended.out);
}

// With their verdicts, in order.
std::vector<std::string> steps_of(const Json& judged) {
  std::vector<std::string> names;
  for (const Json& step : judged.at("steps"))
    names.push_back(step.at("verdict").get<std::string>() + " " + step.at("name").get<std::string>());
  return names;
}

using Names = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// That were built.
Names tls_backends() {
  Names names;
  std::istringstream list(TLS_BACKENDS);
  for (std::string name; list >> name;) names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE("A WARN is no failure, but for --strict") {
  const std::string resets_sigpipe = plugin("resets_sigpipe");
  const Names one_step = {resets_sigpipe, "--step", "signals-untouched/wire"};
  Names strictly = one_step;
  strictly.emplace_back("--strict");
  CHECK(check_json(one_step, 0).at("verdict") == "WARN");
  CHECK(check_json(strictly, 1).at("verdict") == "WARN");
  const Ended lenient = check(one_step), strict = check(strictly);
  CHECK(lenient.status == 0);
  CHECK(contains(lenient.out, "1 fault to mend, none of which breaks the contract"));
  CHECK(strict.status == 1);
  CHECK(contains(strict.out, "1 fault to mend\n"));
  CHECK(check({"plaintcp", "--step", "signals-untouched", "--strict"}).status == 0);
}

TEST_CASE("--trace shows the calls up to the one that did not come back") {
  const Names command = {plugin("hang_in_read"), "--step", "conversation/wire", "--trace"};
  const Ended text = check(command);
  CHECK(text.status == 1);
  CHECK_MESSAGE(contains(text.out, "read "), text.out);
  const std::size_t handshake = text.out.find("handshake       in 0 of 0, out 0 of "),
                    hang = text.out.find(" -> has not come back\n");
  CHECK_MESSAGE(handshake < hang, text.out);
  CHECK_MESSAGE(hang != std::string::npos, text.out);
  const std::size_t line = text.out.rfind('\n', hang) + 1;
  CHECK_MESSAGE(contains(text.out.substr(line, hang - line), " read "), text.out);

  const Json step = check_json(command, 1).at("steps").at(0);
  const Json& calls = step.at("calls");
  REQUIRE(calls.size() > 4);
  for (std::size_t i = 0; i + 1 < calls.size(); ++i) {
    CHECK(calls[i].at("result").is_number());
    CHECK(calls[i].at("seconds").is_number());
  }
  CHECK(calls.back().at("slot") == "read");
  CHECK(calls.back().at("result").is_null());
  CHECK(calls.back().at("seconds").is_null());
  CHECK(contains(step.at("where"), "read(), call " + std::to_string(calls.back().at("number").get<int>()) + " ("));
}

TEST_CASE("Without --trace no calls are told") {
  const Names command = {plugin("hang_in_read"), "--step", "conversation/wire"};
  CHECK(!contains(check(command).out, "has not come back"));
  CHECK(!check_json(command, 1).at("steps").at(0).contains("calls"));
}

TEST_CASE("A backend is judged by its name, and told to be judged again by it") {
  const Json judged = check_json({"plaintcp", "--step", "conversation"}, 0);
  CHECK(std::filesystem::equivalent(judged.at("plugin").at("path").get<std::string>(),
                                    std::string(TLSRIG_PLUGINS) + "/plaintcp.so"));
  CHECK(judged.at("plugin").at("name") == "plaintcp");
  CHECK(contains(judged.at("steps").at(0).at("repeat"), "tlsrig check plaintcp --step conversation/wire/none "));
}

TEST_CASE("--step runs what it names and nothing else") {
  const auto steps = [](Names names) {
    Names command = {"plaintcp"};
    for (const std::string& name : names) command.insert(command.end(), {"--step", name});
    return steps_of(check_json(command, 0));
  };
  CHECK(steps({"conversation"}) == Names{"PASS conversation/wire/none", "PASS conversation/fd/none"});
  CHECK(steps({"conversation/wire"}) == Names{"PASS conversation/wire/none"});
  CHECK(steps({"conversation/fd/none"}) == Names{"PASS conversation/fd/none"});
  CHECK(steps({"load", "empty-write/wire"}) == Names{"PASS load", "PASS empty-write/wire/none"});
  CHECK(steps({"interop"}) == Names{"SKIP interop"});
}

TEST_CASE("--step names a conversation with one peer" * doctest::skip(tls_backends().size() < 2)) {
  const Names backends = tls_backends();
  const std::string peer = "interop/" + backends[1];
  const Names command = {backends[0], "--step", peer + "/wire/1.3"};
  CHECK(steps_of(check_json(command, 0)) == Names{"PASS " + peer + "/wire/1.3"});
  CHECK(steps_of(check_json({backends[0], "--step", peer + "/fd"}, 0)) ==
        Names{"PASS " + peer + "/fd/1.2", "PASS " + peer + "/fd/1.3"});
  const Ended itself = check({backends[0], "--step", "interop/" + backends[0]});
  CHECK(itself.status == 2);
  CHECK_MESSAGE(contains(itself.err, "there are "), itself.err);
  CHECK_MESSAGE(contains(itself.err, peer), itself.err);
}

TEST_CASE("A step's name that stands for nothing ends in 2, with names that do") {
  struct Wrong {
    const char *name, *hint;
  };
  for (const auto& [name, hint] : {Wrong{"conversatoin", "did you mean \"conversation\""},
                                   {"conversatoin/wire/none", "did you mean \"conversation\""},
                                   {"conversation/wier", "conversation/wire"},
                                   {"conversation/wire/1.4", "conversation/wire/1.3"},
                                   {"conversation/", "conversation/wire"},
                                   {"load/wire", "load"},
                                   {"interop/plaintpc", "there "}}) {
    CAPTURE(name);
    const Ended ended = check({"plaintcp", "--step", name});
    CHECK(ended.status == 2);
    CHECK(ended.out == "");
    CHECK_MESSAGE(contains(ended.err, std::string("--step ") + name), ended.err);
    std::string rest = ended.err;
    rest.erase(0, rest.find(name) + std::string(name).size());
    CHECK_MESSAGE(contains(rest, hint), ended.err);
  }
}

TEST_CASE("A step over what the plugin does not offer ends in 2, with what it offers") {
  for (const char* const name : {"conversation/fd", "conversation/wire/1.3"}) {
    const Ended ended = check({plugin("wire_only"), "--step", name});
    CHECK(ended.status == 2);
    CHECK(ended.out == "");
    CHECK_MESSAGE(contains(ended.err, "conversation/wire/none"), ended.err);
  }
}

TEST_CASE("-v lists every step once, and the files that are no plugins") {
  const Scratch scratch;
  std::filesystem::create_symlink(plugin("wire_only"), scratch.path() / "wire_only.so");
  const std::string notes = scratch.file("notes.so", "Not a library.\n");
  const Names command = {"wire_only", "-B", scratch.path().string(), "--seed", "7"};
  Names verbosely = command;
  verbosely.emplace_back("-v");
  const Ended verbose = check(verbosely);
  CHECK(verbose.status == 0);
  CHECK_MESSAGE(contains(verbose.err, notes), verbose.err);
  std::map<std::string, std::size_t> listed;
  std::istringstream lines(verbose.out);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("PASS  ") || line.starts_with("SKIP  ")) ++listed[line.substr(6, line.find(':') - 6)];
  const Json judged = check_json(command, 0);
  std::size_t count = 0;
  for (const Json& step : judged.at("steps")) {
    ++count;
    const std::string name = step.at("name");
    CHECK_MESSAGE(listed[name] == 1, name, " is listed ", listed[name], " times");
  }
  CHECK(count > 100);
  CHECK(listed.size() == count);
}

TEST_CASE("Without -v what passed is counted, and a file that is no plugin is passed over") {
  const Scratch scratch;
  const std::string notes = scratch.file("notes.so", "Not a library.\n");
  std::filesystem::create_symlink(plugin("wire_only"), scratch.path() / "wire_only.so");
  const Ended brief = check({"wire_only", "-B", scratch.path().string(), "--step", "conversation"});
  CHECK(brief.status == 0);
  CHECK(!contains(brief.out, "conversation/wire/none"));
  CHECK(contains(brief.out, "PASS 1 step passed"));
  CHECK_MESSAGE(!contains(brief.err, notes), brief.err);
}

// Both ways: no field without its word, no word without its field.
TEST_CASE("The fields of the judgement in JSON are those of its reference") {
  const std::string text = read_file(CHECK_REFERENCE);
  const std::size_t begin = text.find("```", text.find("## `--json`")) + 3, end = text.find("```", begin);
  REQUIRE(end != text.npos);
  std::set<std::string> words, fields;
  std::string word;
  for (const char letter : text.substr(begin, end - begin)) {
    if ((letter >= 'a' && letter <= 'z') || letter == '_') {
      word += letter;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, ""));
    }
  }
  words.erase("n");  // how many of a verdict
  const std::function<void(const Json&)> gather = [&](const Json& json) {
    for (const auto& [key, value] : json.items()) {
      if (json.is_object()) fields.insert(key);
      if (value.is_structured() && key != "summary") gather(value);
    }
  };
  const Json judged = check_json({"plaintcp", "--step", "conversation/wire", "--trace"}, 0);
  gather(judged);
  for (const std::string& field : fields) CHECK_MESSAGE(words.contains(field), field, " has no word");
  for (const std::string& known : words) CHECK_MESSAGE(fields.contains(known), known, " is no field");
  for (const auto& [verdict, count] : judged.at("summary").items())
    CHECK_MESSAGE(contains(text, "`" + verdict + "`"), verdict, " has no word");
}

TEST_CASE("An unknown backend ends in 2, with the one that comes near") {
  const Ended ended = check({"plaintpc"});
  CHECK(ended.status == 2);
  CHECK(ended.out == "");
  CHECK_MESSAGE(contains(ended.err, "no plugin plaintpc"), ended.err);
  CHECK_MESSAGE(contains(ended.err, "did you mean \"plaintcp\""), ended.err);
  const Ended nowhere = check({"no/such/file.so"});
  CHECK(nowhere.status == 2);
}
