// Laws that every call must keep, whatever a step is about. One that is broken is told in the place of the step's own,
// with its own cure: a guard byte that breaks in a conversation is no matter of conversations.
#pragma once

#include <string_view>

namespace tlsrig::check {

// Both outlive every step. Empty: what the step says holds.
struct Rule {
  std::string_view law, cure;

  bool is(const Rule& other) const { return law == other.law; }
};

namespace rules {

inline constexpr Rule input_used = {
    "law 1: WANT_READ says that all of in was used, or that the socket said EAGAIN",
    "take all of in, or read the socket until EAGAIN, before WANT_READ; call a library that stops earlier once more, "
    "until it wants input of its own accord"};
inline constexpr Rule output_full = {
    "law 1: WANT_WRITE says that out is full, or that the socket said EAGAIN",
    "fill out to its last byte before WANT_WRITE; with room left go on sending, and answer OK when nothing waits any "
    "more"};
inline constexpr Rule nothing_inside = {
    "law 2: after OK the peer has all it needs once out is delivered",
    "before OK, WANT_READ or CLOSED move all that the library or your own buffer holds to out or the socket; while "
    "something is left answer WANT_WRITE"};
inline constexpr Rule write_takes = {
    "law 3: a write takes 1 to 16,384 bytes on OK and says in *written how many",
    "pass at most TLSRIG_WRITE_MAX bytes of a write on, and set *written to what the library took, 1 or more"};
inline constexpr Rule read_gives = {
    "law 4: a read gives 1 to capacity bytes on OK, says in *size how many, and writes nowhere else",
    "give the library's read the capacity of the call, cut to its own type, and tell exactly what it gave; with "
    "nothing to give the answer is WANT_READ"};
inline constexpr Rule only_lent = {
    "law 8: what a write is given is lent, to be read and not to be changed",
    "pass the bytes of a write on as const; a library that encrypts or pads in place gets a copy"};
inline constexpr Rule wire_members = {
    "of a wire a backend advances in_used and out_used, within in_size and out_size, and changes nothing else",
    "add to in_used what was taken and to out_used what was put, never beyond the sizes, and leave the pointers, the "
    "sizes and in_ended as they are"};
inline constexpr Rule window_bounds = {
    "out is written from out + out_used up to out_size, and nowhere else",
    "copy at most out_size - out_used bytes to out + out_used, and keep the rest inside for the next call"};
inline constexpr Rule struct_bounds = {
    "law 8: structs are lent in the size that the contract's header gives them",
    "compile with this version's tlsrig.h, write no more of a struct than its struct_size, and end an error's text "
    "within its 240 bytes"};
inline constexpr Rule outputs_on_ok = {
    "law 8: outputs are written on OK only",
    "work with a local variable and set *size, *written, *context or *session right before the answer OK; write "
    "nothing beyond the structs of the contract, and end each error's text with NUL"};
inline constexpr Rule error_words = {
    "law 8: ERROR and UNSUPPORTED come with the kind and the words of what happened, in the tlsrig_error given",
    "fill kind, alert (-1: none), code and text at the moment of failure, in the error that open was given, or "
    "create_context (sdk::set_error), and end the text with NUL"};
inline constexpr Rule one_goodbye = {
    "law 6: shutdown answers OK once close_notify is out",
    "make the close_notify once; when its call is repeated send the rest of that one, and make no other"};
inline constexpr Rule answers = {
    "a call gives an answer of its slot: CLOSED is read's alone, and of a session's calls only handshake is "
    "UNSUPPORTED",
    "translate each of the library's results to an answer of that slot, with ERROR of kind OTHER and the library's own "
    "code for those that you do not know"};

}  // namespace rules
}  // namespace tlsrig::check
