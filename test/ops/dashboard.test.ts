import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '../..')
const dashboard = readFileSync(join(root, 'ops/grafana/crossfade.json'), 'utf8')

// Grafana publishes the dashboard schema as TypeScript types. These adapt it to JSON, where an enum member is its text,
// and to this dashboard, whose panels have Prometheus queries.
const types = `
import type { Dashboard, Panel, RowPanel } from '@grafana/grafana-foundation-sdk/dashboard'
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus'
import type { FieldConfig, Options } from '@grafana/grafana-foundation-sdk/timeseries'

type Json<T> = 0 extends 1 & T ? T
  : T extends string ? \`\${T}\`
  : T extends readonly (infer Item)[] ? Json<Item>[]
  : T extends object ? { [K in keyof T as T[K] extends () => void ? never : K]: Json<T[K]> }
  : T
type Graph = Omit<Json<Panel>, 'targets' | 'type' | 'options'> & {
  type: 'timeseries'
  options: Partial<Json<Options>>
  targets: Json<Dataquery>[]
}
type Row = Omit<Json<RowPanel>, 'panels'> & { panels: Graph[] }
type File = Omit<Json<Dashboard>, 'panels'> & { panels: (Graph | Row)[] }
`

const wrongChanges: readonly (readonly [string, string, string, RegExp])[] = [
  [
    'an unknown field',
    '"schemaVersion": 39',
    '"schemaVersion": 39, "colour": "red"',
    /'"colour"' does not exist/,
  ],
  ['another type', '"h": 8', '"h": "8"', /Type 'string' is not assignable to type 'number'/],
  ['an unknown value of an enum', '"type": "datasource"', '"type": "database"', /"database"/],
  ['a missing field', '"schemaVersion": 39,', '', /'schemaVersion' is missing/],
]
const files = [dashboard, ...wrongChanges.map(([, correct, wrong]) => dashboard.replace(correct, wrong))]

const compile = async (): Promise<readonly string[][]> => {
  // Inside the project, so that the packages are found.
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'dashboard-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const paths = files.map((_, index) => join(folder, `${index}.ts`))
  for (const [index, json] of files.entries())
    await writeFile(paths[index] ?? '', `${types}\nexport const dashboard: File = ${json}\n`)
  const flags = [
    '--noEmit',
    '--strict',
    '--ignoreConfig',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ]
  const output = await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), [...flags, ...paths], {
    cwd: root,
  }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
  // All lines of an error after the first are indented.
  const errors = output.split(/\n(?=\S)/).filter((error) => error !== '')
  return paths.map((path) => errors.filter((error) => error.startsWith(relative(root, path))))
}

it("the dashboard conforms to Grafana's schema, and invalid variants of it do not", async () => {
  const [errors, ...errorsOfWrong] = await compile()
  expect(errors).toEqual([])
  for (const [index, [name, correct, , error]] of wrongChanges.entries()) {
    expect(dashboard, name).toContain(correct)
    expect(errorsOfWrong[index]?.join('\n'), name).toMatch(error)
  }
})

it('every panel of the dashboard has its own id', () => {
  const { panels }: { panels: { id: number }[] } = JSON.parse(dashboard)
  const ids = panels.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)])
})
