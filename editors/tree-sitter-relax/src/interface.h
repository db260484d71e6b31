// What tree-sitter's runtime expects of a language, in version 14 of its binary interface.
#ifndef RELAX_INTERFACE_H
#define RELAX_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint16_t Symbol;
typedef uint16_t StateId;

typedef struct Lexer Lexer;
struct Lexer {
  int32_t lookahead;
  Symbol result_symbol;
  void (*advance)(Lexer *, bool skip);
  void (*mark_end)(Lexer *);
  uint32_t (*get_column)(Lexer *);
  bool (*is_at_included_range_start)(const Lexer *);
  bool (*eof)(const Lexer *);
};

enum { SHIFT, REDUCE, ACCEPT, RECOVER };

typedef union {
  struct { uint8_t type; StateId state; bool extra; bool repetition; } shift;
  struct { uint8_t type; uint8_t child_count; Symbol symbol; int16_t dynamic_precedence; uint16_t production_id; } reduce;
  uint8_t type;
} Action;

typedef union {
  Action action;
  struct { uint8_t count; bool reusable; } entry;
} ActionEntry;

typedef struct { bool visible, named, supertype; } SymbolMetadata;
typedef struct { uint16_t lex_state, external_lex_state; } LexMode;
typedef struct { uint16_t index, length; } FieldSlice;
typedef struct { uint16_t field_id; uint8_t child_index; bool inherited; } FieldEntry;

typedef struct {
  uint32_t version, symbol_count, alias_count, token_count, external_token_count;
  uint32_t state_count, large_state_count, production_id_count, field_count;
  uint16_t max_alias_sequence_length;
  const uint16_t *parse_table;
  const uint16_t *small_parse_table;
  const uint32_t *small_parse_table_map;
  const ActionEntry *parse_actions;
  const char *const *symbol_names;
  const char *const *field_names;
  const FieldSlice *field_map_slices;
  const FieldEntry *field_map_entries;
  const SymbolMetadata *symbol_metadata;
  const Symbol *public_symbol_map;
  const uint16_t *alias_map;
  const Symbol *alias_sequences;
  const LexMode *lex_modes;
  bool (*lex_fn)(Lexer *, StateId);
  bool (*keyword_lex_fn)(Lexer *, StateId);
  Symbol keyword_capture_token;
  struct {
    const bool *states;
    const Symbol *symbol_map;
    void *(*create)(void);
    void (*destroy)(void *);
    bool (*scan)(void *, Lexer *, const bool *);
    unsigned (*serialize)(void *, char *);
    void (*deserialize)(void *, const char *, unsigned);
  } external_scanner;
  const StateId *primary_state_ids;
} Language;

// A word or sign of the grammar, and its symbol.
struct Word { const char *text; Symbol symbol; };

#endif
