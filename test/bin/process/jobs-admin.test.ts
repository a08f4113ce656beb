import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startJobsAdmin } from '#bin/process/start-jobs.ts'
import { startJobsProcess } from '#dev/start/start-child.ts'
import { itThoroughly } from '#test/support/count-cases.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'

const gateway = startTestGateway({ storage: true })
const module = new URL(import.meta.resolve('#bin/jobs.ts'))
const hostSettings = { ADMIN_HOST: '127.0.0.1', DATABASE_PREPARE: true }
const start = (environment: Readonly<Record<string, string>> = {}) =>
  startJobsProcess('the jobs', module, { ...gateway.environment, LOG_LEVEL: 'silent', ...environment })

describe('the admin listener of the jobs process', () => {
  it('serves only health, readiness and metrics', async () => {
    const worker = await start()
    const url = worker.adminUrl ?? ''
    const request = (path: string) => requestAt(url, 'GET', path)
    expect(await request('/healthz')).toMatchObject({ status: 200, body: { status: 'up' } })
    await expect
      .poll(() => request('/readyz'), { timeout: 10_000 })
      .toMatchObject({ status: 200, body: { status: 'ready', database: 'up', jobs: 'up' } })
    const { body } = await request('/metrics')
    expect(body).toMatch(/^crossfade_jobs\{queue="process-version",state="waiting"\} \d+$/m)
    expect(body).toMatch(/^process_resident_memory_bytes \d{7,}$/m)
    for (const path of ['/metrics/', '/%6Detrics', '/openapi.json', '/docs', '/v1/libraries', '/'])
      expect(await request(path), path).toMatchObject({
        status: 404,
        body: { error: 'route_not_found', message: 'There is nothing at this path.' },
      })
    await worker.stop()
    await expect(request('/healthz')).rejects.toThrow()
  }, 30_000)

  itThoroughly(
    'does not start if JOBS_ADMIN_PORT is off',
    async () => {
      const worker = await start({ JOBS_ADMIN_PORT: 'off' })
      expect(worker.adminUrl).toBeNull()
      await worker.stop()
    },
    30_000,
  )

  itThoroughly(
    'fails to start, naming the setting, if its port is in use',
    async () => {
      const listener = createServer()
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void listener.close())
      const address = listener.address()
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0
      const settings = { ...hostSettings, DATABASE_URL: gateway.database.url, JOBS_ADMIN_PORT: port }
      await expect(startJobsAdmin(settings, createRecordingLog(), { phase: 'starting' })).rejects.toThrow(
        `port ${port} on 127.0.0.1 is in use: set JOBS_ADMIN_PORT to a free port`,
      )
      await expect(start({ JOBS_ADMIN_PORT: String(port) })).rejects.toThrow('exit code 1')
    },
    30_000,
  )

  it('returns 503 for /readyz while the process starts or shuts down, and serves metrics without a database', async () => {
    const settings = { ...hostSettings, DATABASE_URL: 'postgres://127.0.0.1:9/x', JOBS_ADMIN_PORT: 0 }
    const state = { phase: 'starting' as 'starting' | 'ready' | 'draining' }
    const admin = await startJobsAdmin(settings, createRecordingLog(), state)
    onTestFinished(() => admin.close())
    const request = (path: string) => requestAt(admin.url ?? '', 'GET', path)
    for (const [phase, status] of [
      ['starting', 503],
      ['ready', 200],
      ['draining', 503],
    ] as const) {
      state.phase = phase
      expect(await request('/readyz')).toMatchObject({ status, body: { status: phase, database: 'down' } })
    }
    const { status, body } = await request('/metrics')
    expect(status).toBe(200)
    expect(body).toContain('process_resident_memory_bytes')
    expect(body).not.toMatch(/^crossfade_jobs/m)
  }, 15_000)
})
