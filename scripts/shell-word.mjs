// Words of commands that people paste: as the extension writes them, whose modules scripts cannot load.

/** A word as a shell reads it: in quotes where it needs them. @param {string} text */
export const shellWord = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
