import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { childEnvironment } from '#test/support/child-environment.ts'
import { sampleCases } from '#test/support/count-cases.ts'
import { type RunningCore, runCore } from './running-core.ts'

const entry = resolve(import.meta.dirname, '../../../../dev/sandbox/core/main.ts')
let core: RunningCore
beforeAll(async () => {
  core = await runCore()
})
afterAll(() => core.close())

const environment = () => ({
  ...childEnvironment(),
  DATABASE_URL: core.databaseUrl,
  AUTH_ISSUER: core.issuer.issuer,
  AUTH_AUDIENCE: core.issuer.audience,
  AUTH_JWKS_URL: core.issuer.jwksUrl,
})

const forkCore = async () => {
  const child = fork(entry, { env: environment(), execArgv: [] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [{ url }] = await once(child, 'message')
  return { child, url }
}

const exitCode = async (child: ChildProcess) => (await once(child, 'exit'))[0]

describe('the core process', () => {
  it('reports its address to the parent process', async () => {
    const { url } = await forkCore()
    const { token } = await core.signIn()
    const { status } = await fetch(`${url}/v1/tracks`, { headers: { authorization: `Bearer ${token}` } })
    expect(status).toBe(200)
  })

  it.each(sampleCases(['SIGTERM', 'SIGINT'] as const, 0.5))('shuts down gracefully on %s', async (signal) => {
    const { child, url } = await forkCore()
    await fetch(url)
    child.kill(signal)
    expect(await exitCode(child)).toBe(0)
  })

  it('exits when the parent process exits', async () => {
    const { child } = await forkCore()
    child.disconnect()
    expect(await exitCode(child)).toBe(0)
  })

  it('names the missing settings and exits with 1', async () => {
    const child = spawn(process.execPath, [entry], { env: childEnvironment() })
    const [[code], [reason]] = await Promise.all([once(child, 'exit'), once(child.stderr, 'data')])
    expect(code).toBe(1)
    expect(String(reason)).toMatch(/^sandbox core: DATABASE_URL: .*AUTH_ISSUER: .*\n$/)
  })
})
