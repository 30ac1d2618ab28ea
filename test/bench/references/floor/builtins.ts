// `import` of a built-in module reads each of its exports, lazy ones included, and so loads what
// nobody asked for; this does not.
export const crypto = process.getBuiltinModule('node:crypto');
export const https = process.getBuiltinModule('node:https');
