import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'

it('drains a process that was replaced while it started, and exits although its last report fails', async () => {
  const child = fork(new URL(import.meta.resolve('./joining-process.ts')))
  onTestFinished(() => void child.kill('SIGKILL'))
  child.send({ kind: 'replaced' })
  expect(await once(child, 'exit')).toEqual([3, null])
}, 60_000)
