// A process with a supervised child, for tests of what happens when it is killed or has no file descriptors left.
import { closeSync, openSync } from 'node:fs'
import { createSupervisedChild } from '#migration/shadow/supervised-child.ts'

const [mode] = process.argv.slice(2)
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

const child = createSupervisedChild({
  module: new URL('./faulty-child.mjs', import.meta.url),
  execArgv: [],
  env: {},
  parseResult: (result) => result,
  onResult: (_, result) => print({ result, pid: child.pid() }),
  onDrop: (_, reason) => print({ reason }),
  log: { warn: ({ reason }, message) => print({ message, reason }) },
  limits: { backoffMs: 300, responseTimeoutMs: 600_000, concurrency: 1 },
})

const exhaustFileDescriptors = () => {
  const open = []
  try {
    for (;;) open.push(openSync('/dev/null'))
  } catch {
    return open
  }
}

const open = mode === 'without-file-descriptors' ? exhaustFileDescriptors() : []
child.offer({ kind: 'echo', value: 1 })
if (open.length > 0) {
  setTimeout(() => {
    for (const fd of open) closeSync(fd)
  }, 150)
} else {
  child.offer({ kind: 'loop' })
}
// The timers of a supervised child do not keep its parent alive.
setInterval(() => undefined, 60_000)
if (mode === 'exit') process.stdin.once('data', () => process.exit(0))
