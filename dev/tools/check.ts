import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'

// `npm run check` checks the repository's types, style and rules, without a database. With `--route LABEL`, it checks
// everything about one route, within a minute.

const root = join(import.meta.dirname, '../..')

interface Step {
  readonly name: string
  readonly command: readonly string[]
}

const compiler = 'node_modules/typescript/bin/tsc'
const types: Step = { name: 'types', command: [compiler, '-p', '.'] }
const lint: Step = { name: 'lint', command: ['node_modules/@biomejs/biome/bin/biome', 'check'] }
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=minimal']

const everything: readonly Step[] = [
  types,
  {
    name: 'types of the client',
    command: [compiler, '-p', 'packages/client', '--noEmit'],
  },
  lint,
  { name: 'unused exports', command: ['node_modules/knip/bin/knip.js'] },
  { name: 'rules', command: [...vitest, '--config', 'vitest.check.config.ts'] },
  { name: 'accepted differences that expire', command: ['dev/tools/warn-of-expiry.ts'] },
]

const isGreen = ({ name, command: [script = '', ...flags] }: Step) => {
  process.stdout.write(`\n${name}\n`)
  return (
    spawnSync(process.execPath, [join(root, script), ...flags], { cwd: root, stdio: 'inherit' }).status === 0
  )
}

const end = (exitCode: number, line: string): never => {
  process.stdout.write(`\n${line}\n`)
  process.exit(exitCode)
}

const checkEverything = () => {
  const failed = everything.filter((step) => !isGreen(step)).map(({ name }) => name)
  return failed.length === 0 ? end(0, 'All checks pass.') : end(1, `Failed: ${failed.join(', ')}.`)
}

const documentation = ['accepted-api', 'client-retries', 'client-types', 'errors-page', 'response-schemas']

/**
 * Lists the test files that have one case per route. Leaves out the tests of the repository itself: `documentation`
 * selects those that matter.
 */
const listLoops = (files: readonly string[]) =>
  files.filter((file) => {
    if (file.startsWith('test/architecture/') || !file.endsWith('.test.ts')) return false
    const source = readFileSync(join(root, file), 'utf8')
    return source.includes('.each(') && /^import .*\b(?:labels|writes|contracts)\b.* from/m.test(source)
  })

const listStepsOf = (label: string, tests: readonly string[], loops: readonly string[]): readonly Step[] => {
  const own = [...tests, ...documentation.map((name) => `test/architecture/${name}.test.ts`)]
  // Leaves out cases in workerd, which takes seconds to start for each test. `npm test` runs them.
  const cases = `^(?!.*workerd).*(?<![\\w.-])${label.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)`
  // From the second run on, this takes only a quarter of the time.
  const incremental = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/check.tsbuildinfo']
  return [
    { ...types, command: [...types.command, ...incremental] },
    lint,
    { name: "the route's tests", command: [...vitest, ...own] },
    {
      name: "the route's cases in the tests that cover every route",
      command: [...vitest, '-t', cases, ...loops],
    },
  ]
}

const checkRoute = async (label: string) => {
  // Imported only here, because both modules read the whole tree. `npm run check` has to work even if the tree cannot
  // be loaded.
  const { describeRouteGaps, isCompared, listRoutes, listTestsOf } = await import(
    '#test/architecture/route-gaps.ts'
  )
  const { files } = await import('#test/architecture/source-files.ts')
  const [route] = listRoutes(label)
  if (!route) return end(2, `Next: add a row for ${label} to contracts/route-table.ts.`)
  const gaps = describeRouteGaps(route)
  if (gaps !== null) {
    process.stdout.write(`${gaps}\n`)
    return end(1, 'Next: add all of this, and run the same command again.')
  }
  for (const step of listStepsOf(label, listTestsOf(label), listLoops(files)))
    if (!isGreen(step)) return end(1, `Next: fix what ${step.name} found, and run the same command again.`)
  return isCompared(route)
    ? end(0, `Next: npm run contract -- --area ${label}, which compares native with the core.`)
    : end(0, 'Next: npm run check && npm test, and commit.')
}

const readRoute = (args: readonly string[]) => {
  const route = { type: 'string', takes: 'LABEL', means: 'checks one route and names what it lacks' } as const
  const does = "Checks types, lint, formatting, unused exports and the repository's rules. Needs no database."
  return readCommandLine({ name: 'check', does, example: '--route packs.list', flags: { route } }, args)
    .values.route
}

const route = readArgumentsOrExit('check', readRoute, 2)
if (route === undefined) checkEverything()
else await checkRoute(route)
