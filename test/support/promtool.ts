import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listMetrics, readAlertRules, rulesFile } from './alerts.ts'
import { parseMetrics } from './metrics.ts'

const run = promisify(execFile)

/** Runs `promtool`; rejects with its output if it finds a fault. */
export const runPromtool = async (...args: readonly string[]) => {
  try {
    return (await run('promtool', args)).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`promtool ${args[0]} failed: ${stdout}${stderr}`)
  }
}

/** Scrapes of one process, 15 seconds apart. The last one is repeated until the end of the test. */
export interface ScrapedProcess {
  readonly job: string
  /** The scrape before the failure. It is repeated for five minutes. */
  readonly before: string
  /** During the failure. */
  readonly during: readonly string[]
}

const stepsBefore = 21
const stepsAfter = 60

const listSeries = (text: string, names: ReadonlySet<string>, job: string) => {
  const samples = [...parseMetrics(text).values()].flatMap((family) => family.samples)
  return new Map(
    samples
      .filter(({ name, value }) => names.has(name) && !Number.isNaN(value))
      .map(({ name, labels, value }) => {
        const pairs = Object.entries({ ...labels, job, instance: job }).map(
          ([label, content]) => `${label}="${content}"`,
        )
        return [`${name}{${pairs.join(', ')}}`, value] as const
      }),
  )
}

const formatValue = (value: number | undefined, repetitions: number) =>
  value === undefined ? `_x${repetitions}` : `${value}+0x${repetitions - 1}`

const createInputSeries = ({ job, before, during }: ScrapedProcess, names: ReadonlySet<string>) => {
  const first = listSeries(before, names, job)
  const later = during.map((text) => listSeries(text, names, job))
  const all = new Set([first, ...later].flatMap((scrape) => [...scrape.keys()]))
  return [...all].map((series) => ({
    series,
    values: [
      formatValue(first.get(series), stepsBefore),
      ...later.map((scrape) => formatValue(scrape.get(series), 1)),
      formatValue(later.at(-1)?.get(series), stepsAfter),
    ].join(' '),
  }))
}

const createUpSeries = (processes: readonly ScrapedProcess[]) =>
  processes.map(({ job, during }) => ({
    series: `up{job="${job}", instance="${job}"}`,
    values: `1+0x${stepsBefore - 1} ${during.length > 0 ? 1 : 0}+0x${stepsAfter}`,
  }))

const countFiring = (alert: string) =>
  `group(count_over_time(ALERTS{alertname="${alert}", alertstate="firing"}[10m]))`

/**
 * Evaluates the rules with `promtool` over these scrapes. Rejects unless each alert is silent before the failure and
 * fires after it. A process without scrapes during the failure counts as down.
 */
export const expectAlerts = async (alerts: readonly string[], processes: readonly ScrapedProcess[]) => {
  const names = new Set(readAlertRules().flatMap(({ expression }) => listMetrics(expression)))
  const fires = [{ labels: '{}', value: 1 }]
  const test = {
    rule_files: [rulesFile],
    evaluation_interval: '15s',
    tests: [
      {
        interval: '15s',
        input_series: [
          ...processes.flatMap((scraped) => createInputSeries(scraped, names)),
          ...createUpSeries(processes),
        ],
        promql_expr_test: alerts.flatMap((alert) => [
          { expr: countFiring(alert), eval_time: '5m', exp_samples: [] },
          { expr: countFiring(alert), eval_time: '15m', exp_samples: fires },
        ]),
      },
    ],
  }
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-alerts-'))
  try {
    const file = join(folder, 'test.yml')
    // YAML is a superset of JSON.
    await writeFile(file, JSON.stringify(test))
    await runPromtool('test', 'rules', file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
