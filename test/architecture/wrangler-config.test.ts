import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { readWorkerSettings } from '#gateway/settings/settings.ts'

const config = join(import.meta.dirname, '../../wrangler.toml')
const environments = ['staging', 'production']

const secrets = {
  GATEWAY_SECRET: 'gateway-secret-of-the-tests',
  STORAGE_SECRET_ACCESS_KEY: 'secret-of-the-tests',
}

describe('the wrangler configuration', () => {
  it('defines staging and production', () => {
    expect(readConfig({ config }).definedEnvironments?.toSorted()).toEqual(environments.toSorted())
  })

  it.each([undefined, ...environments])('serves only addresses in its own zone (environment: %s)', (env) => {
    const { workers_dev: workersDev, preview_urls: previewUrls } = readConfig({ config, ...(env && { env }) })
    expect([workersDev, previewUrls]).toEqual([false, false])
  })

  it.each([undefined, ...environments])('keeps request URLs out of the log (environment: %s)', (env) => {
    const { observability, logpush } = readConfig({ config, ...(env && { env }) })
    expect(observability).toMatchObject({ enabled: true, logs: { invocation_logs: false } })
    expect(observability?.traces?.enabled ?? false).toBe(false)
    expect(logpush ?? false).toBe(false)
  })

  it.each(environments)('has all settings except secrets (environment: %s)', (env) => {
    const { vars, hyperdrive } = readConfig({ config, env })
    expect(hyperdrive).toMatchObject([{ binding: 'HYPERDRIVE' }])
    const texts = Object.entries(vars).map(([name, value]) => [name, String(value)])
    const variables = { ...Object.fromEntries(texts), DATABASE_URL: 'postgres://127.0.0.1/x' }
    expect(readWorkerSettings({ ...variables, ...secrets })).toMatchObject({ STORAGE_REGION: 'auto' })
    for (const name of Object.keys(secrets)) expect(() => readWorkerSettings(variables)).toThrow(name)
  })

  it('has no top-level variables or bindings, because environments do not inherit them', () => {
    const { vars, hyperdrive } = readConfig({ config })
    expect([vars, hyperdrive]).toEqual([{}, []])
  })
})
