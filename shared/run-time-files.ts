// What the code reads or starts as a file while it runs. In a bundle, `run-time-files.bundle.ts` takes the place of this
// module (`imports` in package.json): there these files are beside the bundle.
const at = (path: string) => new URL(`../${path}`, import.meta.url)

/** The folder of the migrations. */
export const migrationsFolder = at('db/migrations/')

/** The program of the process that analyses one uploaded file, and the code that it may read. */
export const analysisProgram = at('jobs/analysis/child.ts')
export const analysisCode = ['contracts/shared/audio-formats.ts', 'jobs', 'node_modules', 'package.json'].map(
  at,
)

/** The program of the process that compares responses, and the code that it may read. */
export const comparisonProgram = at('migration/live/shadow/comparison-child.ts')
// Not the whole root: the state of a sandbox and a file with secrets may be there.
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

/** The module that ends a process with its parent, and what it needs. */
export const parentWatch = at('migration/live/shadow/watch-parent.ts')
export const parentWatchCode = [parentWatch, at('package.json')]

/** The folder of the script and the style of the API documentation. */
export const locateDocsAssets = () => new URL('.', import.meta.resolve('swagger-ui-dist/package.json'))

/** The script of the console in the browser. */
export const consoleScript = at('migration/console/browser/console.js')

/** The folder in which `npm start` keeps its state, and the address and the token of its operator. */
export const stateFolder = at('.data/')
