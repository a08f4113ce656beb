// Loaded before a program: by `--import`, as its first import, or by a bundle's entries. Node 12 must be able to run
// it, so that an outdated version prints a clear message instead of a stack trace.
const required = 24
const { versions, execPath, env } = process

const readAdvice = () => {
  // A bundle has no npm scripts to recommend.
  if (!import.meta.url.endsWith('/scripts/check-node.mjs')) return ''
  return env.npm_lifecycle_event === 'postinstall'
    ? ' npm has none for this platform: install one, then run npm ci again.'
    : ' Run npm ci, which installs one, and use the npm scripts (npm start, npm run serve, npm run jobs).'
}

if (Number.parseInt(versions.node, 10) < required) {
  process.stderr.write(
    `Node ${versions.node} (${execPath}) is too old: Crossfade needs Node ${required} or later.${readAdvice()}\n`,
  )
  process.exit(1)
}
