import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { removeEmbeddedPostgres } from '#dev/postgres/start.ts'
import { copyProject } from './copy-project.ts'
import { exited, findProcesses } from './processes.ts'

const marker = crypto.randomUUID()

// PostgreSQL does not inherit the environment with the marker, so its processes are found by their port.
const findDatabase = (port: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${Number(pid)}/cmdline`, 'latin1').includes(`\0port=${port}\0`)
    } catch {
      return false
    }
  })

describe('npm run worker', () => {
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

  const start = async () => {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', CROSSFADE_TEST_RUN: marker }
    const npm = spawn('npm', ['run', 'worker'], { cwd: folder, env, detached: true })
    let output = ''
    for (const stream of [npm.stdout, npm.stderr])
      stream.on('data', (bytes) => {
        output += bytes
      })
    // The last line of the banner.
    await expect.poll(() => output, { timeout: 60_000 }).toMatch(/^curl -i http\S+$/m)
    return { npm, output: () => output }
  }

  it('prints curl commands that work with workerd, and leaves no process behind after Ctrl-C', {
    timeout: 120_000,
  }, async () => {
    const { npm, output } = await start()
    expect(findProcesses(marker).map(({ command }) => command)).toEqual(
      expect.arrayContaining([expect.stringContaining('/workerd serve')]),
    )
    const commands = [...output().matchAll(/^curl -i (?:-H '([^:]+): ([^']+)' )?(\S+)$/gm)]
    const responses = await Promise.all(
      commands.map(async ([, name, value, url = '']) => {
        const response = await fetch(url, { headers: name && value ? { [name]: value } : {} })
        return [response.status, response.headers.get('x-service-core-runtime')]
      }),
    )
    expect(responses).toEqual([
      [200, 'native'],
      [200, 'proxy'],
      [401, 'native'],
    ])
    // The Worker's /docs has no Swagger UI. Its text names /openapi.json, which shows that the Worker responded.
    const [url = ''] = /http\S+/.exec(output().match(/^ *Crossfade +http\S+$/m)?.[0] ?? '') ?? []
    expect(await (await fetch(`${url}/docs`)).text()).toContain('/openapi.json')
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    expect(await page.text()).toMatch(/data-url="http:\/\/127\.0\.0\.1:\d+\/sandbox\/token"/)
    expect(page.headers.get('content-security-policy')).toMatch(/connect-src http:\/\/127\.0\.0\.1:\d+;/)
    await expect.poll(output).toMatch(/"route":"libraries\.list".*"msg":"request"/)

    const [, port = ''] = /^ *sandbox database +postgres:\S+:(\d+)\//m.exec(output()) ?? []
    expect(findDatabase(port)).not.toEqual([])
    process.kill(-(npm.pid ?? 0), 'SIGINT')
    await exited(npm)
    await expect
      .poll(() => [...findProcesses(marker), ...findDatabase(port)], { timeout: 30_000 })
      .toEqual([])
  })
})
