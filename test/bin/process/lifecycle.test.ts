import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'

const lifecycle = import.meta.resolve('#bin/process/lifecycle.ts')

const runScript = (source: string) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', source])
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

describe('the lifecycle of a process', () => {
  it('explains in words why it cannot start without its database', async () => {
    const child = runScript(`import { exitOnFailure } from '${lifecycle}'
      const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
      exitOnFailure('job worker')(new Error('query failed', { cause }))`)
    const printed = text(child.stderr)
    expect(await once(child, 'exit')).toEqual([1, null])
    expect(await printed).toBe(
      'job worker failed to start: cannot connect to the database: connection refused (ECONNREFUSED); check DATABASE_URL\n',
    )
  })

  it('says why it cannot stop in order, and ends', async () => {
    const child = runScript(`import { openProcessLog, shutDownOnSignal } from '${lifecycle}'
      const { log } = openProcessLog({ LOG_LEVEL: 'error' })
      shutDownOnSignal(log, () => Promise.reject(new RangeError('closed twice')))
      setInterval(() => undefined, 1000)
      process.stderr.write('ready')`)
    await once(child.stderr, 'data')
    const written = text(child.stdout)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([1, null])
    expect(JSON.parse(await written)).toMatchObject({
      msg: 'failed to stop',
      failure: { name: 'RangeError' },
    })
  })
})
