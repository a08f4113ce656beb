import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { isTwoSided, labels } from '#contracts/shared/row.ts'
import { openSourceTree } from '#migration/evidence-keys/source-tree.ts'
import { mutate } from './mutate.ts'

const root = join(import.meta.dirname, '../../..')
const registry = 'native-routes/index.ts'

const readHandlers = (text: string) => {
  const imports = new Map(
    Array.from(
      text.matchAll(/^import \{ (\w+) \} from '\.\/(.+)'$/gm),
      ([, name = '', path]) => [name, `native-routes/${path}#${name}`] as const,
    ),
  )
  const entries = new Map(
    Array.from(text.matchAll(/^ {2}'(.+)': (\w+),$/gm), ([, label = '', name = '']) => [
      label,
      imports.get(name),
    ]),
  )
  return new Map(
    labels.flatMap((label) => {
      const handler = entries.get(label)
      return isTwoSided(label) && handler !== undefined ? [[label as string, handler] as const] : []
    }),
  )
}

export const mutateSources = () => {
  const tree = openSourceTree(root)
  const paths = ['native-routes', 'db/queries']
    .flatMap((folder) => tree.listFiles(folder))
    .filter((path) => path !== registry)
  const originals = new Map(paths.sort().map((path) => [path, tree.readText(path)]))
  const mutated = Array.from(originals, ([path, text]) => [path, mutate(path, text)] as const)
  return {
    mutants: mutated.flatMap(([, { mutants }]) => mutants),
    declarations: mutated.flatMap(([, { declarations }]) => declarations),
    handlers: readHandlers(tree.readText(registry)),
    texts: Object.fromEntries(
      mutated.map(([path, { text }]) => [pathToFileURL(join(root, path)).href, text]),
    ),
    originals,
  }
}

const runGitIn = async (folder: string, args: readonly string[]) => {
  const { stdout } = await promisify(execFile)('git', args, { cwd: folder })
  return stdout.trim()
}

export const runGit = (...args: string[]) => runGitIn(root, args)

/** Lists files that have changed since this branch left `main`, including those that git does not track yet. */
export const listChangedFiles = async (folder = root): Promise<ReadonlySet<string>> => {
  const git = (...args: string[]) => runGitIn(folder, args)
  const mergeBase = (branch: string) => git('merge-base', branch, 'HEAD')
  const base = await mergeBase('origin/main').catch(() => mergeBase('main'))
  const changed = await git('diff', '--name-only', base)
  const untracked = await git('ls-files', '--others', '--exclude-standard')
  return new Set([changed, untracked].flatMap((names) => names.split('\n')))
}
