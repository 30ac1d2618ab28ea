// Ends the scripts of package.json with a sentence on a Node.js that cannot run them: its error would name a
// line of TypeScript. Written for any version.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `This needs Node.js 24 or later, and runs on ${process.versions.node}. Run npm rebuild --ignore-scripts, ` +
      'which links the Node.js that npm ci has installed; on Apple silicon and Windows on ARM, npm has no ' +
      'current one: install Node.js 24 (docs/local.md).\n',
  );
  process.exit(1);
}
