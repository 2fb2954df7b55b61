// SQL as text: its statements, its words, and the macros that it names.

const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|;|[^;'"$/-]+|[\s\S]/g;

/** Split SQL into statements; a semicolon within quotes or a comment separates nothing. */
export function statements(text) {
  const found = [];
  let own = '',
    hasCode = false;
  const close = () => {
    if (hasCode) found.push(own.trim());
    own = '';
    hasCode = false;
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ';') {
      close();
      continue;
    }
    own += token;
    if (!/^(--|\/\*)/.test(token) && token.trim()) hasCode = true;
  }
  close();
  return found;
}

/** The names that SQL may mean, also those within texts, which macros read as queries. */
export const names = text =>
  new Set((text.replace(/--[^\n]*/g, '').match(/\w+/g) ?? []).map(one => one.toLowerCase()));

/** The word before the cursor: where it starts and what is written of it. */
export function wordAt(text, cursor) {
  const written = /[\w.]*$/.exec(text.slice(0, cursor))[0];
  return { start: cursor - written.length, written };
}
