import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '../..')
// Folders to compile: all code that calls a query, except for tests.
const sources = [
  'bin',
  'contracts',
  'db',
  'dev/sandbox',
  'gateway',
  'jobs',
  'migration',
  'native-routes',
  'proxy',
  'shared',
]

const readFiles = async (folder: string) => {
  const names = await readdir(folder, { recursive: true })
  return Promise.all(
    names
      .filter((name) => name.endsWith('.ts'))
      .map(async (name) => {
        const path = join(folder, name)
        return { path, text: await readFile(path, 'utf8') }
      }),
  )
}

const copyProject = async () => {
  const copy = await mkdtemp(join(tmpdir(), 'forgotten-columns-'))
  onTestFinished(() => rm(copy, { recursive: true, force: true }))
  for (const source of [...sources, 'package.json', 'tsconfig.json'])
    await cp(join(root, source), join(copy, source), { recursive: true })
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

const nameColumn = (table: string) => `columnAddedTo_${table}`

// A table's columns are either an object literal or the result of a function call.
const tablePattern = /export const (\w+) = pgTable\(\s*'\w+',\s*(?:\{|(\w+\('\w+'\)))/g

const addColumnToEachTable = async (project: string) => {
  const tables: string[] = []
  for (const { path, text } of await readFiles(join(project, 'db/schema'))) {
    const changed = text.replace(tablePattern, (start, table: string, shared: string | undefined) => {
      tables.push(table)
      const column = `${nameColumn(table)}: addedText()`
      return shared ? start.replace(shared, `{ ${column}, ...${shared} }`) : `${start} ${column},`
    })
    await writeFile(path, `import { text as addedText } from 'drizzle-orm/pg-core'\n${changed}`)
  }
  return tables
}

interface Insert {
  readonly table: string
  /** The insert's file and line, such as `db/queries/packs/packs.ts:12`. */
  readonly place: string
  /** How a compiler error starts for each of the insert's first lines. The error is on the line with the values. */
  readonly errorStarts: readonly string[]
}

const insertLines = 5

const findInserts = async (): Promise<readonly Insert[]> => {
  const files = await readFiles(join(root, 'db/queries'))
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const [, table] = /\.insert\((\w+)\)/.exec(line) ?? []
      if (table === undefined) return []
      const file = relative(root, path)
      const lines = Array.from({ length: insertLines }, (_, offset) => index + 1 + offset)
      return [{ table, place: `${file}:${index + 1}`, errorStarts: lines.map((at) => `\n${file}(${at},`) }]
    }),
  )
}

// If the insert lists its values itself, the error is in the insert. Otherwise it is in a caller that provides no value
// for the added column.
const isRejected = ({ table, errorStarts }: Insert, errors: string) =>
  errorStarts.some((start) => errors.includes(start)) ||
  errors.includes(`Property '${nameColumn(table)}' is missing`)

const compile = (project: string) =>
  new Promise<string>((resolve) => {
    const tsc = join(root, 'node_modules/typescript/lib/tsc.js')
    execFile(
      process.execPath,
      [tsc, '-p', '.', '--noErrorTruncation'],
      { cwd: project, maxBuffer: 2 ** 26 },
      (_, stdout) => resolve(stdout),
    )
  })

// Compiling most of the sources takes seconds.
it('an insert in db/queries does not compile unless it names every nullable column', {
  timeout: 60_000,
}, async () => {
  const project = await copyProject()
  const tables = await addColumnToEachTable(project)
  const inserts = await findInserts()
  expect(tables).toEqual(expect.arrayContaining(inserts.map(({ table }) => table)))
  const errors = `\n${await compile(project)}`
  expect(inserts.filter((insert) => !isRejected(insert, errors)).map(({ place }) => place)).toEqual([])
})
