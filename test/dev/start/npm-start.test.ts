import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { removeEmbeddedPostgres } from '#dev/postgres/start.ts'
import { itThoroughly } from '#test/support/count-cases.ts'
import { createPlainDatabase } from '#test/support/plain-database.ts'
import { copyProject } from './copy-project.ts'
import { exited, findProcesses } from './processes.ts'

interface StartedSandbox {
  readonly process: ChildProcess
  readonly output: string
  readonly ms: number
}

describe('npm start', () => {
  let folder: string
  const marker = crypto.randomUUID()

  beforeAll(async () => {
    folder = await copyProject()
  })
  // Processes left running by a failed test would make the next test fail too.
  afterEach(() => {
    for (const { pid } of findProcesses(marker)) process.kill(pid, 'SIGKILL')
  })
  afterAll(async () => {
    await removeEmbeddedPostgres(join(folder, '.data/postgres'))
    await rm(folder, { recursive: true, force: true })
  })

  const start = (environment: Record<string, string> = {}): Promise<StartedSandbox> => {
    const startedAt = performance.now()
    const child = spawn(process.execPath, ['dev/start.ts'], {
      cwd: folder,
      env: { PATH: process.env.PATH, PORT: '0', CROSSFADE_TEST_RUN: marker, ...environment },
      detached: true,
    })
    return new Promise((resolve, reject) => {
      let output = ''
      const collect = (bytes: Buffer) => {
        output += bytes
        // The last line of the banner.
        if (/^curl -i http\S+$/m.test(output))
          resolve({
            process: child,
            ms: performance.now() - startedAt,
            // A getter, because more is printed later.
            get output() {
              return output
            },
          })
      }
      child.stdout.on('data', collect)
      child.stderr.on('data', collect)
      child.once('exit', (code) => reject(new Error(`exited with ${code}: ${output}`)))
    })
  }

  const startAndFail = (environment?: Record<string, string>) =>
    start(environment).then(
      () => expect.fail('npm start did not fail'),
      (error: Error) => error.message,
    )

  const parseCurlLines = ({ output }: StartedSandbox) =>
    [...output.matchAll(/^curl -i (?:-H '([^:]+): ([^']+)' )?(\S+)$/gm)].map(([, name, value, url]) => ({
      url: url ?? '',
      headers: name && value ? { [name]: value } : {},
    }))

  // Sends an invitation, presses `opened` for its message in the outbox, and polls the invitation's status.
  const expectStatusOfOpenedInvitation = async (started: StartedSandbox) => {
    const outbox = /^ *sandbox e-mail outbox +(http\S+)$/m.exec(started.output)?.[1] ?? ''
    const { url = '', headers = {} } = parseCurlLines(started)[0] ?? {}
    const send = async (path: string, body?: object) => {
      const request = body && {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }
      return (await fetch(new URL(path, url), request ?? { headers })).json()
    }
    const { id: packId } = await send('/v1/packs', { name: 'EP' })
    const invitations = `/v1/packs/${packId}/invitations`
    await send(invitations, { email: 'press@example.test' })
    const [, opened = ''] =
      /action="(\/emails\/[^"]+\/opened)"/.exec(await (await fetch(outbox)).text()) ?? []
    await fetch(outbox + opened, { method: 'POST' })
    return expect.poll(async () => (await send(invitations)).records[0].status, { timeout: 5000 })
  }

  const requestInternalRoute = async (started: StartedSandbox) => {
    const file = /^ *sandbox internal token +(\/.+)$/m.exec(started.output)?.[1] ?? ''
    const { url = '' } = parseCurlLines(started)[0] ?? {}
    return fetch(new URL('/v1/internal/media-dispatches/drain-eligible', url), {
      headers: { authorization: `Bearer ${readFileSync(file, 'utf8')}` },
    })
  }

  // The job worker processes the demo tracks after the start.
  const expectDemoPackPlays = async (started: StartedSandbox) => {
    const printed = /^ *Listen to the demo tracks: (http\S+)$/m.exec(started.output)?.[1] ?? ''
    expect(await (await fetch(printed)).text()).toContain('Shared with you')
    const { url = '' } = parseCurlLines(started)[0] ?? {}
    const pack = new URL(`/v1/public/pack-links/${printed.split('/').at(-1)}`, url)
    const listDurations = async () => {
      const { tracks } = await (await fetch(pack)).json()
      return tracks.map(({ durationMs }: { durationMs: number | null }) => durationMs)
    }
    await expect
      .poll(listDurations, { timeout: 60_000, interval: 200 })
      .toEqual([expect.any(Number), expect.any(Number), expect.any(Number)])
      .catch((error: unknown) => {
        const failures = started.output.match(/^.*(?:job failed|have no sound).*$/gm)
        throw new Error(`demo tracks were not processed: ${failures?.join('\n')}`, { cause: error })
      })
  }

  const adminFile = () => join(folder, '.data/admin.json')
  const readAdminUrls = (): Record<string, string> => JSON.parse(readFileSync(adminFile(), 'utf8'))

  it('prints working addresses and curl commands for a native, a forwarded and a rejected request', {
    timeout: 150_000,
  }, async () => {
    const started = await start()
    const responses = await Promise.all(
      parseCurlLines(started).map(async ({ url, headers }) => {
        const response = await fetch(url, { headers })
        return [response.status, response.headers.get('x-service-core-runtime')]
      }),
    )
    expect(responses).toEqual([
      [200, 'native'],
      [200, 'proxy'],
      [401, 'native'],
    ])
    // Events sent from the printed outbox reach the gateway.
    await (await expectStatusOfOpenedInvitation(started)).toBe('opened')
    // The file whose path is printed contains the token for the internal routes.
    expect((await requestInternalRoute(started)).status).toBe(200)
    // The printed database address works.
    const printed = /^ *sandbox database +(postgres:\S+)$/m.exec(started.output)?.[1] ?? ''
    const sql = postgres(printed, { max: 1 })
    expect(await sql`select 1 as opened`).toMatchObject([{ opened: 1 }])
    await sql.end()
    expect(started.output).toMatch(/^ *ffmpeg (?:was found at \/|or prlimit was not found: )/m)
    await expectDemoPackPlays(started)
    // The admin listeners' addresses are printed, and stay in `.data/admin.json` while the listeners run.
    const { service, ...adminUrls } = readAdminUrls()
    expect(parseCurlLines(started)[0]?.url).toBe(`${service}/v1/libraries`)
    expect(Object.keys(adminUrls).sort()).toEqual(['gateway', 'jobs'])
    for (const [name, url] of Object.entries(adminUrls)) {
      expect(new RegExp(`^ *admin ${name} +(http\\S+)$`, 'm').exec(started.output)?.[1]).toBe(url)
      expect((await fetch(`${url}/metrics`)).status).toBe(200)
    }
    const page = await (await fetch(`${service}`, { headers: { accept: 'text/html' } })).text()
    expect(page).toContain(`href="${adminUrls.gateway}/console"`)
    expect(page).toMatch(/data-url="http:\/\/127\.0\.0\.1:\d+\/sandbox\/token"/)
    // `npm run routes` finds the gateway and the operator's token by itself.
    const routes = execFileSync(process.execPath, ['bin/routes.ts', 'list'], {
      cwd: folder,
      env: { PATH: process.env.PATH },
    })
    expect(routes.toString()).toMatch(/^libraries\.list +native /m)
    process.kill(-(started.process.pid ?? 0), 'SIGINT')
    expect(await exited(started.process)).toBe(0)
    expect(findProcesses(marker)).toEqual([])
    expect(existsSync(adminFile())).toBe(false)
  })

  itThoroughly(
    'prints one line and exits if another npm start runs in the same folder',
    { timeout: 90_000 },
    async () => {
      const first = await start()
      expect(await startAndFail()).toMatch(
        /^exited with 1: npm start is already running in this folder, at http\S+ \(process \d+\)\.[^\n]*\n$/,
      )
      expect((await fetch(`${readAdminUrls().gateway}/readyz`)).status).toBe(200)
      process.kill(first.process.pid ?? 0, 'SIGTERM')
      await exited(first.process)
      expect(findProcesses(marker)).toEqual([])
    },
  )

  itThoroughly('restarts after SIGKILL with all stored data', { timeout: 90_000 }, async () => {
    const killed = await start()
    const [listLibraries] = parseCurlLines(killed)
    const created = await fetch(listLibraries?.url ?? '', {
      method: 'POST',
      headers: listLibraries?.headers ?? {},
      body: '{"name":"Kept"}',
    })
    expect(created.status).toBe(201)
    process.kill(killed.process.pid ?? 0, 'SIGKILL')
    await exited(killed.process)

    const again = await start()
    for (const url of Object.values(readAdminUrls())) expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const [listAgain] = parseCurlLines(again)
    const list = await fetch(listAgain?.url ?? '', { headers: listAgain?.headers ?? {} })
    expect((await list.json()).records.map(({ name }: { name: string }) => name)).toContain('Kept')
    process.kill(again.process.pid ?? 0, 'SIGTERM')
    await exited(again.process)
    await expect.poll(() => findProcesses(marker)).toEqual([])
  })

  itThoroughly('restarts the providers if their process is killed', { timeout: 90_000 }, async () => {
    const started = await start()
    const findProviders = () =>
      findProcesses(marker).find(({ command }) => command.includes('sandbox/providers.ts'))?.pid ?? 0
    const killed = findProviders()
    process.kill(killed, 'SIGKILL')
    await expect.poll(findProviders, { timeout: 30_000 }).not.toBeOneOf([0, killed])
    const outbox = /^ *sandbox e-mail outbox +(http\S+)$/m.exec(started.output)?.[1] ?? ''
    const isUp = () =>
      fetch(outbox).then(
        ({ ok }) => ok,
        () => false,
      )
    await expect.poll(isUp, { timeout: 30_000 }).toBe(true)
    // The e-mail provider knows again where to send its webhook.
    await (await expectStatusOfOpenedInvitation(started)).toBe('opened')
    process.kill(started.process.pid ?? 0, 'SIGTERM')
    await exited(started.process)
    expect(findProcesses(marker)).toEqual([])
  })

  itThoroughly("prints no secret from a user's file", { timeout: 90_000 }, async () => {
    const { url } = await createPlainDatabase({ migrated: true })
    const file = join(folder, 'database-url')
    writeFileSync(file, url)
    const started = await start({ DATABASE_URL_FILE: file })
    process.kill(started.process.pid ?? 0, 'SIGTERM')
    await exited(started.process)
    expect(started.output).not.toContain(new URL(url).password)
    expect(started.output).not.toContain('sandbox database')
  })

  const startByNpm = async () => {
    const environment = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      CROSSFADE_TEST_RUN: marker,
    }
    const npm = spawn('npm', ['start'], { cwd: folder, env: environment, detached: true })
    let output = ''
    npm.stdout.on('data', (bytes) => {
      output += bytes
    })
    npm.stderr.on('data', (bytes) => {
      output += bytes
    })
    await expect.poll(() => output, { timeout: 40_000 }).toMatch(/^curl -i http\S+$/m)
    const [, port = ''] = /^ *sandbox database +postgres:\S+:(\d+)\//m.exec(output) ?? []
    return { npm, port }
  }

  // PostgreSQL does not inherit the environment with the marker, so its processes are found by their port.
  const findDatabase = (port: string) =>
    readdirSync('/proc').filter((pid) => {
      try {
        return readFileSync(`/proc/${Number(pid)}/cmdline`, 'latin1').includes(`\0port=${port}\0`)
      } catch {
        return false
      }
    })
  const expectNothingIsLeft = (port: string) =>
    expect.poll(() => [...findProcesses(marker), ...findDatabase(port)], { timeout: 30_000 }).toEqual([])

  const ends = [
    ['npm is killed', 'SIGKILL', (npm: number) => npm],
    ['npm is told to end', 'SIGTERM', (npm: number) => npm],
    ['the terminal is closed', 'SIGHUP', (npm: number) => -npm],
  ] as const
  itThoroughly.each(ends)(
    'leaves no process after %s (%s), and can be started again',
    async (_, signal, select) => {
      const { npm, port } = await startByNpm()
      expect(findProcesses(marker).length).toBeGreaterThan(5)
      expect(findDatabase(port)).not.toEqual([])
      process.kill(select(npm.pid ?? 0), signal)
      await expectNothingIsLeft(port)
    },
    90_000,
  )

  itThoroughly.each(['PORT', 'ADMIN_PORT'])(
    'names %s if its port is in use',
    async (name) => {
      const listener = createServer()
      onTestFinished(() => void listener.close())
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
      const address = listener.address()
      const port = String(typeof address === 'object' && address?.port)
      expect(await startAndFail({ [name]: port })).toBe(
        `exited with 1: port ${port} on 127.0.0.1 is in use: set ${name} to a free port\n`,
      )
      await expect.poll(() => findProcesses(marker)).toEqual([])
    },
    90_000,
  )

  it('says that it cannot write to its folder', { timeout: 90_000 }, async () => {
    const file = join(folder, '.data')
    const kept = `${file}.kept`
    if (existsSync(file)) renameSync(file, kept)
    writeFileSync(file, '')
    const message = await startAndFail()
    rmSync(file)
    if (existsSync(kept)) renameSync(kept, file)
    expect(message).toBe(
      `exited with 1: cannot write to ${file} (EEXIST): make it a folder that you can write to\n`,
    )
  })

  it('names every invalid setting and exits with 1', { timeout: 90_000 }, async () => {
    const message = await startAndFail({
      HOST: '256.0.0.1',
      PORT: '99999',
      DATABASE_URL: 'nonsense',
      CORE_BASE_URL: 'foo',
      BILLING_PLANS: '[{"id":"free"}]',
    })
    const lines = message.trim().split('\n')
    expect(lines[0]).toMatch(/^exited with 1: .*:$/)
    expect(new Set(lines.slice(1).map((line) => /^ {2}(\w+) /.exec(line)?.[1]))).toEqual(
      new Set(['HOST', 'PORT', 'DATABASE_URL', 'CORE_BASE_URL', 'BILLING_PLANS']),
    )
  })

  itThoroughly("names a HOST that is not one of this machine's addresses", { timeout: 90_000 }, async () => {
    expect(await startAndFail({ HOST: '192.0.2.1' })).toMatch(/HOST 192\.0\.2\.1 is .* this machine/)
    await expect.poll(() => findProcesses(marker)).toEqual([])
  })

  itThoroughly(
    'reports a DATABASE_URL that refuses connections, without its password',
    {
      timeout: 90_000,
    },
    async () => {
      const message = await startAndFail({ DATABASE_URL: 'postgres://u:se-kr-et@127.0.0.1:1/x' })
      expect(message).toContain('DATABASE_URL')
      expect(message).toContain('ECONNREFUSED')
      expect(message).not.toContain('se-kr-et')
      await expect.poll(() => findProcesses(marker)).toEqual([])
    },
  )

  itThoroughly(
    'starts no sandbox in production, where the server exits and lists the missing settings',
    {
      timeout: 90_000,
    },
    async () => {
      const env = { PATH: process.env.PATH ?? '' }
      const production = spawn(process.execPath, ['bin/server.ts'], { cwd: folder, env })
      let stderr = ''
      production.stderr.on('data', (bytes) => {
        stderr += bytes
      })
      expect(await exited(production)).toBe(1)
      for (const name of ['DATABASE_URL', 'CORE_BASE_URL', 'AUTH_ISSUER', 'GATEWAY_SECRET']) {
        expect(stderr).toContain(`  ${name} is missing\n`)
      }
    },
  )
})
