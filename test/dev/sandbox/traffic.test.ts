import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startTokenIssuer } from '#dev/sandbox/token-issuer.ts'
import { itThoroughly } from '#test/support/count-cases.ts'
import { startTestGateway } from '#test/support/gateway.ts'

const script = resolve(import.meta.dirname, '../../../dev/sandbox/traffic/main.ts')

const generate = (...flags: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
    const child = execFile(process.execPath, [script, ...flags], (_error, stdout, stderr) =>
      done({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })

describe('the traffic generator', () => {
  const environment = { GATEWAY_ROUTES: 'tracks.*=native' }
  const gateway = startTestGateway({ core: 'sandbox', environment })
  const generateHere = (...flags: string[]) =>
    generate('--url', gateway.url, '--state-dir', gateway.stateDir, ...flags)

  it('sends native and forwarded requests, and leaves no tracks or packs behind', async () => {
    const { code, stdout } = await generateHere('--accounts', '3', '--rate', '200', '--seconds', '1')
    expect(code).toBe(0)
    const [routes = '', statuses] = stdout.trim().split('\n\n')
    expect(statuses).toMatch(
      /^status +requests +native +core\n200 +\d+ +\d+ +\d+\n201 +\d+ +\d+ +\d+\n204 +\d+ +\d+ +\d+$/,
    )
    const [header, ...lines] = routes.split('\n')
    expect(header).toMatch(/^route +requests +native +fallbacks +failed +median$/)
    expect(lines.map((line) => line.split(/ +/)[0])).toEqual([
      ...['create', 'detail', 'list', 'remove'].map((name) => `packs.${name}`),
      ...['create', 'detail', 'list', 'remove'].map((name) => `tracks.${name}`),
    ])
    for (const line of lines)
      expect(line).toMatch(
        line.startsWith('tracks') ? /100\.0 % +0 +0 +\d+\.\d ms$/ : /0\.0 % +0 +0 +\d+\.\d ms$/,
      )
    const { sql } = gateway.database
    expect(await sql`select id from tracks union all select id from packs`).toEqual([])
  })

  itThoroughly('sends its requests to the gateway that npm start runs in its folder', async () => {
    await writeFile(join(gateway.stateDir, 'admin.json'), JSON.stringify({ service: gateway.url }))
    const flags = ['--state-dir', gateway.stateDir, '--accounts', '1', '--rate', '200', '--seconds', '1']
    const { stdout } = await generate(...flags)
    expect(stdout).toMatch(/\npacks\.create +\d+ +0\.0 % +0 +0 /)
    expect(stdout).not.toContain('no response')
  })

  it('reports rejected requests as failed', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'crossfade-test-'))
    onTestFinished(() => rm(stateDir, { recursive: true }))
    // The gateway does not know this issuer's key.
    const issuer = await startTokenIssuer({ stateDir })
    await issuer.close()
    const flags = ['--url', gateway.url, '--state-dir', stateDir, '--rate', '50', '--seconds', '1']
    const { stdout } = await generate(...flags)
    expect(stdout).toMatch(/\ntracks\.create +(\d+) +100\.0 % +0 +\1 /)
    expect(stdout).toMatch(/\n401 +[1-9]\d* +[1-9]\d* +[1-9]\d*\n$/)
  })

  itThoroughly('reports requests without a response as failed', async () => {
    const server = createServer((request, response) =>
      request.url === '/healthz' ? response.end() : request.socket.destroy(),
    )
    onTestFinished(() => void server.close())
    const url = await new Promise<string>((done) =>
      server.listen(0, '127.0.0.1', () => {
        const address = server.address()
        done(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
      }),
    )
    const flags = ['--url', url, '--state-dir', gateway.stateDir]
    const { stdout } = await generate(...flags, '--rate', '50', '--seconds', '1')
    expect(stdout).toMatch(/\nno response +(\d+) +0\.0 % +0 +\1 /)
    expect(stdout).toMatch(/\nstatus .*\nno response +[1-9]\d*\n$/)
  })

  it('says that npm start is not running if nothing responds', async () => {
    // A killed `npm start` leaves its address behind.
    const stateDir = await mkdtemp(join(tmpdir(), 'crossfade-test-'))
    onTestFinished(() => rm(stateDir, { recursive: true }))
    await writeFile(join(stateDir, 'admin.json'), JSON.stringify({ service: 'http://127.0.0.1:1' }))
    expect(await generate('--state-dir', stateDir)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^traffic: npm start is not running in this folder: nothing responds at http:\/\/127\.0\.0\.1:1\. Run npm start [^\n]*\n$/,
      ),
    })
  })

  it('rejects a rate of 0', async () => {
    const { code, stderr } = await generateHere('--rate', '0')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^traffic: --rate is not a whole number .*: 0\n$/),
    ])
  })
})
