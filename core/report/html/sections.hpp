// The parts of the page: what the template (page.html.mustache) is filled with, each made from the result alone. The
// names of fields are those in the template.
#pragma once

#include <cstddef>

#include <tlsrig/report/html/fields.hpp>
#include <tlsrig/report/model.hpp>
#include <tlsrig/report/terminal/table.hpp>

namespace tlsrig::report::html {

// What a reader has to know first: marks of the whole run, a sentence per arm, the fastest of each cell, warnings,
// thresholds.
void add_summary(Fields& page, const Result& result);

// The scenarios in words, how often each was measured, and on what machine.
void add_measured(Fields& page, const Result& result);

// Cells x arms, a table per scenario (and run, where the result holds several), and the forest plots.
void add_matrices(Fields& page, const Result& result);

// Everything about single cells.
void add_cells(Fields& page, const Result& result);

// What was proved of a cell's arms, and by whom.
void add_proof(Fields& fields, const Cell& cell);

// Builds, machines, commands, scenarios.
void add_runs(Fields& page, const Result& result);

// How ratios, intervals and verdicts come about, with the numbers of this result.
void add_method(Fields& page, const Result& result);

// A table of the terminal report, as a field of its own. Columns without any text are left out.
Fields table_fields(const Table& table);

// Whether the name of a row takes more than one line: on narrow windows a column of such names would hide the others.
bool is_long_name(const std::string& name);

// The anchor of a cell, by its place in the result: its id is not ours.
std::string anchor_of(const Result& result, const Cell& cell);

// What sets a cell apart within its scenario; its id when that is nothing.
std::string short_name_of(const Cell& cell);

}  // namespace tlsrig::report::html
