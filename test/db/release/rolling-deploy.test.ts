import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTokenIssuer, type TokenIssuer } from '#dev/sandbox/token-issuer.ts'
import { startJobsProcess, startServer } from '#dev/start/start-child.ts'
import { billingSecret } from '#test/support/billing.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { testPlans } from '#test/support/plans.ts'
import { startTestStorage } from '#test/support/storage.ts'
import { createBalancer, type Release, type Target } from './balancer.ts'
import { checkOutRelease } from './check-out-release.ts'
import { startDeployLoad } from './deploy-load.ts'
import { createRecordedClient } from './recorded-client.ts'

const root = join(import.meta.dirname, '../../..')
const timeoutMs = 300_000

// Where each release keeps its programs.
const programs = {
  previous: { gateway: 'gateway/server.ts', jobs: 'gateway/jobs.ts', migrate: 'gateway/migrate.ts' },
  present: { gateway: 'bin/server.ts', jobs: 'bin/jobs.ts', migrate: 'bin/migrate.ts' },
} as const

describe('a deploy that replaces the previous release while clients send requests', () => {
  const started = new AsyncDisposableStack()
  const folders: Record<Release, string> = { previous: '', present: root }
  let environment: Readonly<Record<string, string>>
  let issuer: TokenIssuer
  const programOf = (release: Release, path: string) => pathToFileURL(join(folders[release], path))

  const migrate = (release: Release) =>
    promisify(execFile)(process.execPath, [join(folders[release], programs[release].migrate)], {
      env: { PATH: process.env.PATH, ...environment },
    })
  const startCore = async () => {
    const core = await startServer('the core', programOf('previous', 'sandbox/core/main.ts'), environment)
    started.defer(() => core.stop())
    return core
  }
  const startGateway = async (release: Release): Promise<Target> => {
    const gateway = await startServer(
      `a ${release} gateway`,
      programOf(release, programs[release].gateway),
      environment,
    )
    started.defer(() => gateway.stop())
    return { release, gateway }
  }
  const startJobs = async (release: Release) => {
    const jobs = await startJobsProcess(
      `the ${release} jobs`,
      programOf(release, programs[release].jobs),
      environment,
    )
    started.defer(() => jobs.stop())
    return jobs
  }

  beforeAll(async () => {
    folders.previous = checkOutRelease()
    started.defer(() => rm(folders.previous, { recursive: true, force: true }))
    const stateDir = await mkdtemp(join(tmpdir(), 'crossfade-deploy-'))
    started.defer(() => rm(stateDir, { recursive: true, force: true }))
    const database = await createTestDatabase({ isMigrated: false })
    started.defer(() => database.close())
    issuer = await startTokenIssuer({ stateDir })
    started.defer(() => issuer.close())
    const storage = await startTestStorage()
    started.defer(() => storage.close())
    environment = {
      ...database.environment,
      ...storage.environment,
      PORT: '0',
      ADMIN_PORT: '0',
      JOBS_ADMIN_PORT: '0',
      PUBLIC_BASE_URL: 'https://api.example',
      MIGRATE_ON_START: 'off',
      AUTH_ISSUER: issuer.issuer,
      AUTH_AUDIENCE: issuer.audience,
      AUTH_JWKS_URL: issuer.jwksUrl,
      BILLING_PLANS: JSON.stringify(testPlans),
      BILLING_WEBHOOK_SECRET: billingSecret,
      GATEWAY_SECRET: 'gateway-secret-of-the-tests',
      LOG_LEVEL: 'error',
      DRAIN_MS: '6000',
    }
    await migrate('previous')
    environment = { ...environment, CORE_BASE_URL: (await startCore()).url }
  }, 120_000)
  afterAll(() => started.disposeAsync(), 60_000)

  it('fails no request, and each release reads what the other one writes', {
    timeout: timeoutMs,
  }, async () => {
    const balancer = createBalancer()
    started.defer(() => balancer.close())
    const assign = async (...targets: readonly Target[]) => {
      for (const target of targets) balancer.add(target)
      await expect.poll(() => targets.every(balancer.isAssigning), { timeout: 30_000 }).toBe(true)
    }
    const replace = async (target: Target) => {
      await target.gateway.stop()
      balancer.remove(target)
    }
    const startTwo = (release: Release) => Promise.all([startGateway(release), startGateway(release)])

    const previous = await startTwo('previous')
    const previousJobs = await startJobs('previous')
    await assign(...previous)
    const client = createRecordedClient(balancer)
    const load = startDeployLoad(client, issuer.mintToken)
    started.defer(() => load.stop())
    await load.waitForVisits(20)

    await migrate('present')
    await load.waitForVisits(20)

    const present = await startTwo('present')
    await startJobs('present')
    await assign(...present)
    await load.waitForVisits(60)

    await previousJobs.stop()
    for (const target of previous) {
      await replace(target)
      await load.waitForVisits(10)
    }

    // A rollback begins with an instance of the previous release beside the new ones.
    const restored = await startGateway('previous')
    await assign(restored)
    await load.waitForVisits(20)
    await load.stop()

    expect(client.failures).toEqual([])
    expect(client.fallbacks()).toBe(0)
    expect([...load.playback.keys()]).toEqual(['ready'])
    const releases: readonly Release[] = ['previous', 'present']
    expect([...client.served.keys()].sort()).toEqual(
      releases.flatMap((release) => [`${release} native`, `${release} proxy`]).sort(),
    )
    for (const kind of ['events', 'subscriptions', 'libraries', 'tracks'])
      for (const writer of releases)
        for (const reader of releases)
          expect(client.read.get(`${kind}: ${writer} > ${reader}`), kind).toBeGreaterThan(5)
  })
})
