import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'

const run = promisify(execFile)

/**
 * Runs `script` in a child process, because pino writes to its process's standard output. Returns the parsed log lines.
 */
const runScript = async (level: string, script: string) => {
  const module = import.meta.resolve('#gateway/observability/log-pino.ts')
  const source = `import { createPinoLog } from '${module}'; const log = createPinoLog('${level}'); ${script}`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', source], {
    maxBuffer: 2 ** 24,
  })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('createPinoLog', () => {
  it('escapes quotes, control characters and line separators', async () => {
    const unusualFields = { path: 'a"b\\\n\u2028é', nested: { list: [1, null] }, flag: false, ratio: 0.5 }
    const [line] = await runScript(
      'info',
      `log.info(${JSON.stringify(unusualFields)}, 'say "so"'); await log.flush()`,
    )
    expect(line).toMatchObject({ level: 'info', msg: 'say "so"', ...unusualFields })
    expect(new Date(line.time).toISOString()).toBe(line.time)
  })

  it('writes the line of a request exactly as pino would', async () => {
    const required = {
      ...{ requestId: 'a-b:c.1', traceId: '0af7651916cd43dd8448eb211c80319c', method: 'GET' },
      ...{ route: 'packs.list', runtime: 'native', reason: 'split', status: 200, durationMs: 1.24 },
    }
    const complete = {
      ...{ requestId: 'a-b:c.1', traceId: '0af7651916cd43dd8448eb211c80319c', method: 'POST' },
      ...{ route: 'packs.list', runtime: 'proxy', reason: 'split', epoch: 7, fallback: true },
      ...{ fallbackReason: 'timeout', status: 504, replayed: true, error: 'core_timeout' },
      ...{ unauthorizedReason: 'token_expired', account: 'a"\\\n\u2028é', durationMs: 0.5, coreMs: 1e-7 },
      ...{ bytesIn: 0, bytesOut: Number.MAX_SAFE_INTEGER },
    }
    const script = `for (const fields of ${JSON.stringify([required, complete])}) {
        log.request(fields); log.info(fields, 'request') }
      await log.flush()`
    const lines = (await runScript('info', script)).map(({ time: _time, ...others }) =>
      JSON.stringify(others),
    )
    expect(lines[0]).toBe(JSON.stringify({ level: 'info', ...required, msg: 'request' }))
    expect(lines[2]).toBe(JSON.stringify({ level: 'info', ...complete, msg: 'request' }))
    expect([lines[0], lines[2]]).toEqual([lines[1], lines[3]])
  })

  it("writes the level, the time, the common fields and the request's fields, in that order", async () => {
    const module = import.meta.resolve('#gateway/observability/log-pino.ts')
    const source = `import { createPinoLog } from '${module}'
      const log = createPinoLog('info', { instance: 'id', version: '0.1.0' })
      const fields = { requestId: 'a-b:c.1', traceId: 'ff', method: 'GET', route: 'packs.list', runtime: 'native',
        reason: 'static', status: 200, durationMs: 1.24 }
      log.request(fields); log.info(fields, 'request'); await log.flush()`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', source])
    const line =
      '{"level":"info","time":"[^"]{24}","instance":"id","version":"0.1.0","requestId":"a-b:c.1","traceId":"ff","method":"GET","route":"packs.list","runtime":"native","reason":"static","status":200,"durationMs":1.24,"msg":"request"}\n'
    expect(stdout).toMatch(new RegExp(`^(${line}){2}$`))
  })

  it('writes lines of any length in order', async () => {
    const lengths = [10, 30_000, 70_000, 20, 22_000, 21_000, 200_000, 0]
    const script = `for (const length of ${JSON.stringify(lengths)})
      log.info({ text: '曲'.repeat(length) }, 'a'); await log.flush()`
    const lines = await runScript('info', script)
    expect(lines.map(({ text }) => text.length)).toEqual(lengths)
    expect(new Set(lines.map(({ text }) => text).join(''))).toEqual(new Set(['曲']))
  })

  it('omits undefined fields', async () => {
    const [line] = await runScript('info', "log.info({ error: undefined }, 'request'); await log.flush()")
    expect(Object.keys(line)).toEqual(['level', 'time', 'msg'])
  })

  it('preserves the order of lines across levels', async () => {
    const script =
      "log.info({}, 'a'); log.warn({}, 'b'); log.error({}, 'c'); log.info({}, 'd'); await log.flush()"
    const lines = await runScript('info', script)
    expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
      'info a',
      'warn b',
      'error c',
      'info d',
    ])
  })

  it('writes buffered lines within 600 ms without a flush', async () => {
    const script = "log.info({}, 'a'); setTimeout(() => undefined, 600)"
    expect(await runScript('info', script)).toMatchObject([{ msg: 'a' }])
  })

  it('writes nothing below its level', async () => {
    const script = "log.info({}, 'a'); log.request({}); log.warn({}, 'b'); await log.flush()"
    const lines = await runScript('warn', script)
    expect(lines.map(({ msg }) => msg)).toEqual(['b'])
  })
})

describe('a log that is flushed', () => {
  it('lets the process end even if standard output is closed', async () => {
    const module = import.meta.resolve('#gateway/observability/log-pino.ts')
    const source = `import { createPinoLog } from '${module}'; const log = createPinoLog('info')
      const interval = setInterval(() => undefined, 1000)
      for (let count = 0; count < 20; count++) log.info({ text: 'x'.repeat(60_000) }, 'a')
      await log.flush(); process.exit(0)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', source])
    child.stdout.destroy()
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('lets a process end on SIGTERM even if the disk under its standard output is full', async () => {
    const module = import.meta.resolve('#bin/process/lifecycle.ts')
    const source = `import { openProcessLog, shutDownOnSignal } from '${module}'
      const { log } = openProcessLog({ LOG_LEVEL: 'info' })
      shutDownOnSignal(log, async () => {})
      setInterval(() => log.info({ text: 'x'.repeat(60_000) }, 'a'), 10)
      setTimeout(() => process.stderr.write('ready'), 500)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stderr as Readable, 'data')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('keeps a bounded number of lines while none can be written, and counts those it drops', async () => {
    const module = import.meta.resolve('#gateway/observability/log-pino.ts')
    const source = `import { createPinoLog, readLostLines } from '${module}'; const log = createPinoLog('info')
      const text = 'x'.repeat(60_000)
      for (let count = 0; count < 5000; count++) {
        log.info({ text }, 'a')
        if (count % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      gc()
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      process.stderr.write(JSON.stringify([heapUsed + arrayBuffers, readLostLines()])); await log.flush(); process.exit(0)`
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', source], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    })
    const [written] = await once(child.stderr as Readable, 'data')
    const [bytes, lostLines] = JSON.parse(written)
    expect(bytes).toBeLessThan(64 * 1024 * 1024)
    // Up to 16 MiB of lines may wait to be written. Those do not count as lost.
    expect(lostLines).toBeGreaterThan(4500)
    expect(lostLines).toBeLessThan(5000)
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('writes lines that are added while it is being flushed', async () => {
    const script = `log.info({ text: 'x'.repeat(300_000) }, 'a'); const flushed = log.flush()
      log.info({}, 'b'); await flushed; process.exit(0)`
    expect((await runScript('info', script)).map(({ msg }) => msg)).toEqual(['a', 'b'])
  })
})
