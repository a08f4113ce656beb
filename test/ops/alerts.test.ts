import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listLabels, listMetrics, readAlertRules, rulesFile } from '#test/support/alerts.ts'
import { readDocumentedSeries } from '#test/support/documented-metrics.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { runPromtool } from '#test/support/promtool.ts'

const root = join(import.meta.dirname, '../..')
const rules = readAlertRules()
const recordings = [...readFileSync(rulesFile, 'utf8').matchAll(/^ +- record: /gm)].length
const series = readDocumentedSeries()
const hasPromtool = isInstalledOrSkipped('prometheus', 'the tests of alert rules')

interface Panel {
  readonly type: string
  readonly title: string
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const dashboard: { readonly uid: string; readonly schemaVersion: number; readonly panels: readonly Panel[] } =
  JSON.parse(readFileSync(join(root, 'ops/grafana/crossfade.json'), 'utf8'))
const panels = dashboard.panels.filter(({ type }) => type !== 'row')
const targets = panels.flatMap(({ targets = [] }) => targets)

/** Lists an expression's series and labels that no process exports. */
const listUnknown = (expression: string, made: readonly string[] = []) => {
  const metrics = listMetrics(expression)
  const { selected, grouped } = listLabels(expression)
  // Prometheus itself provides the series `up`, with the target's labels.
  const known = ['environment', ...made, ...metrics.flatMap((metric) => series.get(metric) ?? [])]
  return [
    ...metrics.filter((metric) => !series.has(metric)),
    ...selected
      .filter(({ metric, label }) => !series.get(metric)?.includes(label))
      .map(({ metric, label }) => `${metric}{${label}}`),
    ...grouped.filter((label) => label !== '' && !known.includes(label)),
  ]
}

describe('the alert rules', () => {
  it('use only series and labels that a process exports', () => {
    expect(rules.length).toBeGreaterThan(15)
    const unknown = rules.map(({ name, expression }) => [name, listUnknown(expression)])
    expect(unknown).toEqual(rules.map(({ name }) => [name, []]))
  })

  it('would be rejected if they used an unknown series or label', () => {
    expect(listUnknown('sum by (colour) (rate(crossfade_jobs{size="1"}[1m])) > crossfade_unknown')).toEqual([
      'crossfade_unknown',
      'crossfade_jobs{size}',
      'colour',
    ])
  })

  it.runIf(hasPromtool)('are valid according to promtool', async () => {
    expect(await runPromtool('check', 'rules', rulesFile)).toContain(
      `SUCCESS: ${rules.length + recordings} rules found`,
    )
  })

  it('each have a runbook entry that says what the alert means, what to look at and what to do', () => {
    const runbook = readFileSync(join(root, 'docs/runbook.md'), 'utf8')
    const entries = runbook.split(/^#{2,3} /m).filter((entry) => entry.startsWith('Crossfade'))
    expect(entries.map((entry) => entry.split('\n', 1)[0]).sort()).toEqual(
      rules.map(({ name }) => name).sort(),
    )
    for (const entry of entries)
      for (const part of ['Means', 'Look at', 'Do'])
        expect(entry).toMatch(new RegExp(`^- \\*\\*${part}:\\*\\* \\S`, 'm'))
  })

  it('link to their runbook entries', () => {
    const links = [...readFileSync(rulesFile, 'utf8').matchAll(/runbook_url: docs\/runbook\.md#(\w+)/g)]
    expect(links.map(([, anchor]) => anchor)).toEqual(rules.map(({ name }) => name.toLowerCase()))
  })

  it('are each tested with scrapes from before and during a failure', () => {
    const tests = readdirSync(import.meta.dirname)
      .filter((name) => /^alerts-of-.*\.test\.ts$/.test(name))
      .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
    // These need a process that keeps restarting, or a fault that lasts longer than the scrapes here.
    const onlyInAFleet = ['CrossfadeCrashLoop', 'CrossfadeAvailabilityBurns', 'CrossfadeLatencyBurns']
    const untried = rules.filter(
      ({ name }) => !onlyInAFleet.includes(name) && !tests.some((test) => test.includes(`'${name}'`)),
    )
    expect(untried.map(({ name }) => name)).toEqual([])
  })
})

describe('the dashboard', () => {
  it('uses only series and labels that a process exports', () => {
    const faults = targets.flatMap(({ expr, legendFormat }) => {
      // `label_replace` creates a label.
      const made = [...expr.matchAll(/label_replace\(.*?\), "(\w+)"/g)].map(([, label = '']) => label)
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
      const known = [...made, ...listMetrics(expr).flatMap((metric) => series.get(metric) ?? [])]
      return [...listUnknown(expr, made), ...shown.filter((label) => !known.includes(label))]
    })
    expect(faults).toEqual([])
    expect(targets.length).toBeGreaterThan(30)
  })

  it('shows every metric of the gateway and the jobs process', () => {
    const shown = new Set(targets.flatMap(({ expr }) => listMetrics(expr)))
    const base = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '')
    const bases = new Set([...shown].map(base))
    const own = [...series.keys()].map(base).filter((name) => name.startsWith('crossfade_'))
    expect([...new Set(own)].filter((name) => !bases.has(name))).toEqual([])
  })

  it('gives each panel a title, a query and its own position', () => {
    expect(dashboard).toMatchObject({ uid: 'crossfade', schemaVersion: expect.any(Number) })
    for (const { title, targets = [], gridPos } of panels) {
      expect(title).toMatch(/\w/)
      expect(targets.length, title).toBeGreaterThan(0)
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
    }
    const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)
    expect(new Set(places).size).toBe(places.length)
  })

  it.runIf(hasPromtool)('has expressions that promtool can parse', async () => {
    const rules = targets.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }))
    const folder = await mkdtemp(join(tmpdir(), 'crossfade-dashboard-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'rules.yml')
    await writeFile(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
    expect(await runPromtool('check', 'rules', file)).toContain(`SUCCESS: ${targets.length} rules found`)
  })
})
