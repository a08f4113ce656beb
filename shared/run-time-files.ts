// Files that the code reads or starts at run time. In a bundle they sit beside it, and `run-time-files.bundle.ts`
// replaces this module (`imports` in package.json).
const at = (path: string) => new URL(`../${path}`, import.meta.url)

export const migrationsFolder = at('db/migrations/')

export const analysisProgram = at('jobs/analysis/child.ts')
export const analysisCode = ['contracts/shared/audio-formats.ts', 'jobs', 'node_modules', 'package.json'].map(
  at,
)

export const comparisonProgram = at('migration/shadow/comparison-child.ts')
// Not the whole root, which may hold a sandbox's state and a file with secrets.
export const comparisonCode = [
  'bin',
  'contracts',
  'db',
  'gateway',
  'jobs',
  'migration',
  'native-routes',
  'node_modules',
  'package.json',
  'proxy',
  'scripts',
  'shared',
].map(at)

export const parentWatch = at('migration/shadow/watch-parent.ts')
export const parentWatchCode = [parentWatch, at('package.json')]

export const locateDocsAssets = () => new URL('.', import.meta.resolve('swagger-ui-dist/package.json'))

export const consoleScript = at('migration/console/browser/console.js')

export const stateFolder = at('.data/')
