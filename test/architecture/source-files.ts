import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export const root = join(import.meta.dirname, '../..')

export const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
  cwd: root,
})
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))

export interface Import {
  readonly file: string
  /** A path from the root, or the name of a package or built-in module. */
  readonly target: string
  /** False if only types are imported, which do not exist at run time. */
  readonly isValue: boolean
}

const statement =
  /^(?:import|export)\b(?<type> type)?(?<names>[^'"`;]*?)from '(?<from>[^']+)'|^import '(?<effect>[^']+)'|import\('(?<dynamic>[^']+)'\)/gm

const onlyTypes = (names: string) => /^\s*\{(?:\s*type [^,}]+,?)+\s*\}\s*$/.test(names)

const resolveTarget = (file: string, specifier: string) => {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier))
  return specifier.startsWith('#') ? specifier.slice(1) : specifier
}

const readImports = (file: string): Import[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(statement)].map(({ groups = {} }) => ({
    file,
    target: resolveTarget(file, groups.from ?? groups.effect ?? groups.dynamic ?? ''),
    isValue: groups.type === undefined && !onlyTypes(groups.names ?? ''),
  }))

const importsByFile = new Map(files.map((file) => [file, readImports(file)]))

export const importsOf = (file: string): readonly Import[] => importsByFile.get(file) ?? []

export const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

export const findCycles = (): string[][] => {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (file: string) => {
    const index = order.size
    order.set(file, index)
    low.set(file, index)
    stack.push(file)
    for (const { target, isValue } of importsOf(file)) {
      if (!isValue || !importsByFile.has(target)) continue
      if (!order.has(target)) visit(target)
      if (stack.includes(target)) low.set(file, Math.min(low.get(file) ?? 0, low.get(target) ?? 0))
    }
    if (low.get(file) !== index) return
    const members = stack.splice(stack.indexOf(file))
    if (members.length > 1) cycles.push(members.sort())
  }
  for (const file of files) if (!order.has(file)) visit(file)
  return cycles
}
