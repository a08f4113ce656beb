import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readAlertRules, rulesFile } from '#test/support/alerts.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { runPromtool } from '#test/support/promtool.ts'
import { type FleetFault, fleetFaults, quietFaults } from './fleet-faults.ts'

const hasPromtool = isInstalledOrSkipped('prometheus', 'the tests of alerts in a fleet')
const rules = readFileSync(rulesFile, 'utf8')

// One Prometheus scrapes all of these. Alerts must fire only for the first: the last has the fault too, but belongs to
// another program.
const places = [
  { environment: 'production', values: 'faulty' },
  { environment: 'staging', values: 'healthy' },
  { environment: 'foreign', values: 'faulty', job: 'node-exporter' },
] as const

const formatSeries = (name: string, labels: Readonly<Record<string, string>>) =>
  `${name}{${Object.entries(labels).map(([label, value]) => `${label}="${value}"`)}}`

const createTest = ({ alert, series }: FleetFault, firing: readonly string[]) => ({
  name: alert,
  interval: '15s',
  input_series: places.flatMap((place) =>
    series.map(({ name, labels, ...values }) => ({
      series: formatSeries(name, {
        job: 'job' in place ? place.job : 'crossfade-gateway',
        environment: place.environment,
        instance: '10.0.0.1:8788',
        ...labels,
      }),
      values: values[place.values].map((value) => value ?? '_').join(' '),
    })),
  ),
  promql_expr_test: ['9m45s', '34m'].map((evalTime, index) => ({
    // Before the fault, and late in it: an alert that missed the fault or has just started again is not firing then.
    expr: `group by (environment) (ALERTS{alertname="${alert}", alertstate="firing"})`,
    eval_time: evalTime,
    exp_samples: (index === 0 ? [] : firing).map((environment) => ({
      labels: `{environment="${environment}"}`,
      value: 1,
    })),
  })),
})

const testRules = async (text: string, tests: readonly unknown[]) => {
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-fleet-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'alerts.yml'), text)
  const test = { rule_files: ['alerts.yml'], evaluation_interval: '15s', tests }
  await writeFile(join(folder, 'test.yml'), JSON.stringify(test))
  return runPromtool('test', 'rules', join(folder, 'test.yml'))
}

const firingTests = fleetFaults.map((fault) => createTest(fault, ['production']))

describe.runIf(hasPromtool)(
  'in a Prometheus with several environments and other programs',
  { timeout: 180_000 },
  () => {
    it('every alert fires for the environment with the fault, and only for it', async () => {
      expect(fleetFaults.map(({ alert }) => alert).sort()).toEqual(
        readAlertRules()
          .map(({ name }) => name)
          .sort(),
      )
      expect(await testRules(rules, firingTests)).toContain('SUCCESS')
    })

    it('no alert fires for a fault that passes on its own', async () => {
      const tests = quietFaults.map((fault) => createTest(fault, []))
      expect(await testRules(rules, tests)).toContain('SUCCESS')
    })

    it.each([
      ['of other programs too', /job=~?"crossfade-[^"]*"/g, 'job!=""'],
      ['of all environments together', /\(environment(?:, )?/g, '('],
      ['of none', /job=~?"crossfade-[^"]*"/g, 'job="none"'],
    ])('every test fails if the rules select the series %s', async (_, part, wrong) => {
      const affected = readAlertRules().filter(
        ({ expression }) => expression.replace(part, wrong) !== expression,
      )
      expect(affected.length).toBeGreaterThan(15)
      const names = new Set(affected.map(({ name }) => name))
      const failure: unknown = await testRules(
        rules.replace(part, wrong),
        firingTests.filter(({ name }) => names.has(name)),
      ).catch((error: unknown) => error)
      const failed = [...String(failure).matchAll(/alertname=\\?"(\w+)/g)].map(([, name = '']) => name)
      expect([...names].filter((name) => !failed.includes(name))).toEqual([])
    })
  },
)
