import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { removeEmbeddedPostgres } from '#db/embedded/start.ts'

const root = join(import.meta.dirname, '../..')

interface Started {
  readonly process: ChildProcess
  readonly output: string
  readonly ms: number
}

// Every process whose environment names the run belongs to it, also one whose parent is gone.
const processesOf = (marker: string) =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${Number(pid)}/environ`, 'latin1').includes(`CROSSFADE_TEST_RUN=${marker}`))
        return []
      return [
        { pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ') },
      ]
    } catch {
      return []
    }
  })

const exited = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('exit', resolve))

describe('npm start', () => {
  let folder: string
  const marker = crypto.randomUUID()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossfade-start-'))
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
    })
    for (const file of files.toString().split('\n')) {
      if (
        existsSync(join(root, file)) &&
        /^(?:contracts|db|native-routes|proxy|gateway|sandbox|jobs|migration)\/|^package\.json$/.test(file)
      ) {
        cpSync(join(root, file), join(folder, file), { force: true })
      }
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  })
  // What a failed test leaves running would fail the next one as well.
  afterEach(() => {
    for (const { pid } of processesOf(marker)) process.kill(pid, 'SIGKILL')
  })
  afterAll(async () => {
    await removeEmbeddedPostgres(join(folder, '.data/postgres'))
    await rm(folder, { recursive: true, force: true })
  })

  const start = (environment: Record<string, string> = {}): Promise<Started> => {
    const begun = performance.now()
    const child = spawn(process.execPath, ['gateway/start.ts'], {
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
          resolve({ process: child, output, ms: performance.now() - begun })
      }
      child.stdout.on('data', collect)
      child.stderr.on('data', collect)
      child.once('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)))
    })
  }

  const curlLinesOf = ({ output }: Started) =>
    [...output.matchAll(/^curl -i (?:-H '([^:]+): ([^']+)' )?(\S+)$/gm)].map(([, name, value, url]) => ({
      url: url ?? '',
      headers: name && value ? { [name]: value } : {},
    }))

  // Invites somebody, clicks on `opened` beside the message in the outbox, and asks what has become of the invitation.
  const statusOfOpenedInvitation = async (started: Started) => {
    const outbox = /^ *sandbox e-mail outbox +(http\S+)$/m.exec(started.output)?.[1] ?? ''
    const { url = '', headers = {} } = curlLinesOf(started)[0] ?? {}
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

  const internalAnswerTo = async (started: Started) => {
    const file = /^ *sandbox internal token +(\/.+)$/m.exec(started.output)?.[1] ?? ''
    const { url = '' } = curlLinesOf(started)[0] ?? {}
    return fetch(new URL('/v1/internal/media-dispatches/drain-eligible', url), {
      headers: { authorization: `Bearer ${readFileSync(file, 'utf8')}` },
    })
  }

  it('prints three requests that work as printed: one native, one forwarded, one refused', {
    timeout: 60_000,
  }, async () => {
    const started = await start()
    const answers = await Promise.all(
      curlLinesOf(started).map(async ({ url, headers }) => {
        const response = await fetch(url, { headers })
        return [response.status, response.headers.get('x-service-core-runtime')]
      }),
    )
    expect(answers).toEqual([
      [200, 'native'],
      [200, 'proxy'],
      [401, 'native'],
    ])
    // So does the outbox it names: what is told there arrives.
    await (await statusOfOpenedInvitation(started)).toBe('opened')
    // And the file of the token that opens the internal routes.
    expect((await internalAnswerTo(started)).status).toBe(200)
    process.kill(-(started.process.pid ?? 0), 'SIGINT')
    expect(await exited(started.process)).toBe(0)
    expect(processesOf(marker)).toEqual([])
  })

  it('refuses to run twice in one folder, in one clear line', { timeout: 60_000 }, async () => {
    const first = await start()
    const refusal = await start().catch((error: Error) => error.message)
    expect(refusal).toMatch(/^ended with 1: [^\n]*in use by the process \d+[^\n]*\n$/)
    process.kill(first.process.pid ?? 0, 'SIGTERM')
    await exited(first.process)
    expect(processesOf(marker)).toEqual([])
  })

  it('starts again after a kill -9, with what was written before', { timeout: 60_000 }, async () => {
    const killed = await start()
    const [listLibraries] = curlLinesOf(killed)
    const created = await fetch(listLibraries?.url ?? '', {
      method: 'POST',
      headers: listLibraries?.headers ?? {},
      body: '{"name":"Kept"}',
    })
    expect(created.status).toBe(201)
    process.kill(killed.process.pid ?? 0, 'SIGKILL')
    await exited(killed.process)

    const again = await start()
    const [listAgain] = curlLinesOf(again)
    const list = await fetch(listAgain?.url ?? '', { headers: listAgain?.headers ?? {} })
    expect((await list.json()).records.map(({ name }: { name: string }) => name)).toContain('Kept')
    process.kill(again.process.pid ?? 0, 'SIGTERM')
    await exited(again.process)
    await expect.poll(() => processesOf(marker)).toEqual([])
  })

  it('names a port that is taken', { timeout: 60_000 }, async () => {
    const squatter = createServer()
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve))
    const address = squatter.address()
    const port = String(typeof address === 'object' && address?.port)
    const refusal = await start({ PORT: port }).catch((error: Error) => error.message)
    expect(refusal).toContain(`port ${port} of 127.0.0.1 is in use`)
    await new Promise((resolve) => squatter.close(resolve))
    await expect.poll(() => processesOf(marker)).toEqual([])
  })

  it('names settings that are no good, and starts nothing for them', { timeout: 60_000 }, async () => {
    const refusal = await start({
      HOST: '256.0.0.1',
      PORT: '99999',
      DATABASE_URL: 'nonsense',
      CORE_BASE_URL: 'foo',
      BILLING_PLANS: '[{"id":"free"}]',
    }).catch((error: Error) => error.message)
    const lines = String(refusal).trim().split('\n')
    expect(lines[0]).toBe('ended with 1: invalid configuration, set or correct these variables:')
    expect(new Set(lines.slice(1).map((line) => /^ {2}(\w+) /.exec(line)?.[1]))).toEqual(
      new Set(['HOST', 'PORT', 'DATABASE_URL', 'CORE_BASE_URL', 'BILLING_PLANS']),
    )
  })

  it('names a host that is not here', { timeout: 60_000 }, async () => {
    const refusal = await start({ HOST: '192.0.2.1' }).catch((error: Error) => error.message)
    expect(refusal).toContain('HOST 192.0.2.1 is not an address of this machine')
    await expect.poll(() => processesOf(marker)).toEqual([])
  })

  it('names a database that is not there', { timeout: 60_000 }, async () => {
    const refusal = await start({ DATABASE_URL: 'postgres://u:se-kr-et@127.0.0.1:1/x' }).catch(
      (error: Error) => error.message,
    )
    expect(refusal).toContain('cannot connect to the database: connection refused')
    expect(refusal).not.toContain('se-kr-et')
    await expect.poll(() => processesOf(marker)).toEqual([])
  })

  it('is not production, which lists what it misses and stops', { timeout: 60_000 }, async () => {
    const env = { PATH: process.env.PATH ?? '' }
    const production = spawn(process.execPath, ['gateway/server.ts'], { cwd: folder, env })
    let complaint = ''
    production.stderr.on('data', (bytes) => {
      complaint += bytes
    })
    expect(await exited(production)).toBe(1)
    for (const name of ['DATABASE_URL', 'CORE_BASE_URL', 'AUTH_ISSUER', 'GATEWAY_SECRET']) {
      expect(complaint).toContain(`  ${name} is missing\n`)
    }
  })
})
