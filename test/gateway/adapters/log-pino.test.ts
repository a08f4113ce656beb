import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)

/** What a process writes that logs with `script`, line by line. */
const linesOf = async (level: string, script: string) => {
  const module = import.meta.resolve('#gateway/adapters/log-pino.ts')
  const source = `import { createPinoLog } from '${module}'; const log = createPinoLog('${level}'); ${script}`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', source])
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('the log on standard output', () => {
  it('is a JSON object a line, whatever the values hold', async () => {
    const hostile = { path: 'a"b\\\n\u2028é', nested: { list: [1, null] }, flag: false, share: 0.5 }
    const [line] = await linesOf('info', `log.info(${JSON.stringify(hostile)}, 'say "so"'); log.flush()`)
    expect(line).toMatchObject({ level: 'info', msg: 'say "so"', ...hostile })
    expect(new Date(line.time).toISOString()).toBe(line.time)
  })

  it('leaves out what is undefined', async () => {
    const [line] = await linesOf('info', "log.info({ error: undefined }, 'request'); log.flush()")
    expect(Object.keys(line)).toEqual(['level', 'time', 'msg'])
  })

  it('keeps the order of its lines across levels', async () => {
    const script = "log.info({}, 'a'); log.warn({}, 'b'); log.error({}, 'c'); log.info({}, 'd'); log.flush()"
    const lines = await linesOf('info', script)
    expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
      'info a',
      'warn b',
      'error c',
      'info d',
    ])
  })

  it('writes by itself what nobody flushes', async () => {
    const script = "log.info({}, 'a'); setTimeout(() => undefined, 600)"
    expect(await linesOf('info', script)).toMatchObject([{ msg: 'a' }])
  })

  it('says nothing below its level', async () => {
    const lines = await linesOf('warn', "log.info({}, 'a'); log.warn({}, 'b'); log.flush()")
    expect(lines.map(({ msg }) => msg)).toEqual(['b'])
  })
})
