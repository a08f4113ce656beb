import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { removeEmbeddedPostgres } from '#dev/postgres/start.ts'
import { copyProject } from './copy-project.ts'
import { exited, findProcesses } from './processes.ts'

const marker = crypto.randomUUID()
const escapeCode = String.fromCharCode(27)

describe.runIf(process.platform === 'linux')('npm start in a terminal', () => {
  let folder: string
  beforeAll(async () => {
    folder = await copyProject()
  })
  afterEach(() => {
    for (const { pid } of findProcesses(marker)) process.kill(pid, 'SIGKILL')
  })
  afterAll(async () => {
    await removeEmbeddedPostgres(join(folder, '.data/postgres'))
    await rm(folder, { recursive: true, force: true })
  })

  // `script` (util-linux) runs a command in a pseudo-terminal.
  const open = (environment: Readonly<Record<string, string>> = {}) => {
    const node = `stty cols 80; exec ${process.execPath} dev/start.ts`
    const env = { PATH: process.env.PATH, TERM: 'xterm', CROSSFADE_TEST_RUN: marker, ...environment }
    const terminal = spawn('script', ['-qec', node, '/dev/null'], { cwd: folder, env })
    let output = ''
    terminal.stdout.on('data', (bytes) => {
      output += bytes
    })
    const ended = exited(terminal)
    return {
      ended,
      /** The lines as the terminal shows them: for each, only what was written after it was last erased. */
      lines: () => output.split('\r\n').map((line) => line.split(`${escapeCode}[2K`).at(-1)),
      output: () => output,
      isReady: () => expect.poll(() => output, { timeout: 60_000 }).toContain('Press Ctrl-C to stop.'),
      interrupt: () => void terminal.stdin.write('\u0003'),
    }
  }

  const readRecord = (name: string) => readFileSync(join(folder, '.data', name), 'utf8')

  it('prints a line per part and no JSON, logs to files, and uses the same ports at the next start', {
    timeout: 180_000,
  }, async () => {
    const first = open({ ADMIN_PORT: '', NO_COLOR: '1' })
    await first.isReady()
    const printed = first.lines().join('\n')
    for (const part of ['PostgreSQL', 'Object store and providers', 'Core', 'Gateway', 'Jobs'])
      expect(printed).toMatch(new RegExp(`✓ ${part} +\\d+\\.\\d s$`, 'm'))
    expect(printed).not.toMatch(/\{"/)
    // Without colours, escape codes only move the cursor and erase lines.
    expect(
      first.output().replaceAll(`${escapeCode}[1G`, '').replaceAll(`${escapeCode}[2K`, ''),
    ).not.toContain(escapeCode)
    await expect.poll(() => readRecord('logs/gateway.log')).toMatch(/^\{.*"msg":"gateway started"\}$/m)
    const ports = readRecord('ports.json')

    const second = open()
    expect(await second.ended).toBe(1)
    expect(second.lines().join('\n')).toMatch(
      /^npm start is already running in this folder, at http\S+ \(process \d+\)\. .*\n$/,
    )

    first.interrupt()
    expect(await first.ended).toBe(0)
    expect(first.output()).toMatch(/Stopping: [\s\S]*\nStopped\.\r\n$/)
    for (const program of ['gateway', 'jobs'])
      expect(readRecord(`logs/${program}.log`)).toMatch(/"msg":"draining"\}\n[\s\S]*"msg":"stopped"\}\n$/)

    const again = open()
    await again.isReady()
    expect(readRecord('ports.json')).toBe(ports)
    expect(again.output()).toContain(`${escapeCode}[32m✓`)
    again.interrupt()
    expect(await again.ended).toBe(0)
    expect(findProcesses(marker)).toEqual([])
  })
})
