// The words that every form of the report uses for the same thing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

std::string joined(const std::vector<std::string>& parts, std::string_view separator);

// "1 block", "8 blocks".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

// What a backend is called everywhere: by its variant's name when it is one.
std::string name_of(const BackendRecord& backend);

// "throughput", "CPU per operation, client", "service time p99.9".
std::string metric_words(std::string_view name);

// What sets a cell apart: "message size 1KiB, cipher TLS_AES_128_GCM_SHA256"; empty when it is its scenario's only one.
std::string cell_words(const Cell& cell);

// "server backend openssl, pipeline 4": a scenario's settings that are no axis and not the default, and before them
// what is compared when it is not backends ("arms by tls.cipher"). How it was measured is not among them, nor what is
// proved anyway. Empty when there is nothing to say, or the result does not tell.
std::string settings_words(const Result& result, const Cell& cell);

// A member of nested objects, by its dotted path; nullptr when there is none.
const Json* find_path(const Json& json, std::string_view path);

// A value as a text: a string's own, everything else as JSON.
std::string json_words(const Json& value);

// "message", "handshake", "context pair", "connection": what one operation of the arm is.
std::string operation_word(const Cell& cell, const Arm& arm);

// A value in its unit: "152.3 kop/s" of operations/s, "105.0 µs" of s or s/operation, "1.024 MB/s".
std::string value_words(double value, std::string_view unit);
std::string value_words(const std::optional<double>& value, std::string_view unit);  // empty without one

// A limit or another difference without a sign: "3.8 %"; where that is 100 % or more, the factor: "2.33 x".
std::string limit_words(double limit);

// "+8.3 %"; "0.424 x" where a factor tells more.
std::string difference_words(double ratio);

// "1.083 x", as format_ratio has it.
std::string factor_words(double ratio);

// "1.083", as format_ratio has it; empty without one.
std::string ratio_words(const std::optional<double>& ratio);

// "1.060 .. 1.142", the ends of a ratio's interval; empty where one is missing.
std::string interval_words(const std::optional<double>& low, const std::optional<double>& high);
std::string interval_words(const Comparison& comparison);

// Each byte that is no UTF-8 becomes U+FFFD: libraries word their errors as they like.
std::string valid_utf8(std::string_view text);

// "failed: the client worker was killed", "unsupported" without a reason.
std::string status_words(const Arm& arm);

// Which way a verdict points: good for the arm, bad for it, likely one of both, no difference, or open. Sizes are
// judged where less is better alone (stats/verdict.hpp).
enum class Tone { good, bad, likely_good, likely_bad, neutral, open };
Tone tone_of(std::string_view verdict);

// A verdict for readers without colour: "▲" and "▼", "△" and "▽" for the likely ones, "=" and "?".
std::string_view mark_of(std::string_view verdict);

// A command line as a shell takes it back.
std::string command_text(const std::vector<std::string>& arguments);

}  // namespace tlsrig::report
