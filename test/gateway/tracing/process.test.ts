import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'
import { startTestCollector } from '#test/support/otlp/collector.ts'
import { createTraceparent } from '#test/support/otlp/traceparent.ts'

const harness = startTestGateway({ storage: true })
let started: ChildProcess | undefined
afterEach(() => void started?.kill('SIGKILL'))

const start = async (program: string, changes: Readonly<Record<string, string>> = {}) => {
  const child = fork(new URL(import.meta.resolve(program)), {
    execArgv: ['--import', import.meta.resolve('./loaded-modules.mjs')],
    env: {
      PATH: process.env.PATH,
      ...harness.environment,
      PUBLIC_BASE_URL: 'https://api.example',
      LOG_LEVEL: 'silent',
      DRAIN_MS: '200',
      ...changes,
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  started = child
  const loaded = new Set<string>()
  const ready = new Promise<{ readonly url?: string }>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the process has ended')))
    child.on('message', (message: { readonly loaded?: string; readonly url?: string }) => {
      if (message.loaded === undefined) resolve(message)
      else loaded.add(message.loaded)
    })
  })
  const { url = '' } = await ready
  const stop = async () => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  }
  return { url, loaded, stop }
}

describe('a process', () => {
  it.each(['#bin/server.ts', '#bin/jobs.ts'])(
    '%s loads no OpenTelemetry SDK or exporter without a collector',
    async (program) => {
      const { loaded, stop } = await start(program)
      await stop()
      // prom-client loads the API package.
      expect([...loaded].filter((name) => name !== '@opentelemetry/api')).toEqual([])
    },
  )

  it('that runs jobs sends its metrics before it ends', async () => {
    const collector = await startTestCollector()
    const { stop } = await start('#bin/jobs.ts', {
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/v1/metrics`,
    })
    await stop()
    const names = collector.metrics.at(-1)?.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['crossfade_jobs', 'process_cpu_seconds_total']))
    expect(collector.spans).toEqual([])
    await collector.close()
  })

  it("sends its last requests' spans and metrics before it ends", async () => {
    const collector = await startTestCollector()
    const { url, loaded, stop } = await start('#bin/server.ts', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    })
    const { traceparent, traceId } = createTraceparent()
    await (await fetch(`${url}/v1/libraries`, { headers: { traceparent } })).text()
    await stop()
    expect([...loaded]).toContain('@opentelemetry/sdk-trace')
    expect(collector.spans.filter((span) => span.traceId === traceId).map(({ name }) => name)).toContain(
      'GET libraries.list',
    )
    const durations = collector.metrics
      .at(-1)
      ?.find(({ name }) => name === 'crossfade_request_duration_seconds')
    expect(durations?.points.map(({ attributes }) => attributes.route)).toContain('libraries.list')
    await collector.close()
  })
})
