import { pathToFileURL } from 'node:url'

// Programs are in a folder of the bundle. They may read all of the bundle, because it contains nothing else.
const folder = new URL('../', import.meta.url)
const at = (path: string) => new URL(path, folder)

export const migrationsFolder = at('migrations/')

export const analysisProgram = at('programs/analysis-child.mjs')
export const analysisCode = [folder]

export const comparisonProgram = at('programs/comparison-child.mjs')
export const comparisonCode = [folder]

export const parentWatch = at('programs/watch-parent.mjs')
export const parentWatchCode = [folder]

export const locateDocsAssets = () => at('docs/')

export const consoleScript = at('console.js')

// Not in the bundle's folder, which may be read-only.
export const stateFolder = new URL('.data/', pathToFileURL(`${process.cwd()}/`))
