// Loaded before an entry point, by `--import` or as its first import. It must run on every version of Node, so that a
// version that cannot run the sources says so instead of failing with a stack.
const required = 24
const { versions, execPath } = process

if (Number.parseInt(versions.node, 10) < required) {
  process.stderr.write(
    `Node ${versions.node} (${execPath}) cannot run the sources, which need Node ${required} or later: ` +
      'run npm ci, which installs one, and use the npm scripts (npm start, npm run serve, npm run jobs).\n',
  )
  process.exit(1)
}
