import { pathToFileURL } from 'node:url'

// All files of a bundle are in one folder, and it may read all of them: there is nothing else in it.
const folder = new URL('./', import.meta.url)
const at = (path: string) => new URL(path, folder)

export const migrationsFolder = at('migrations/')

export const analysisProgram = at('analysis-child.mjs')
export const analysisCode = [folder]

export const comparisonProgram = at('comparison-child.mjs')
export const comparisonCode = [folder]

export const parentWatch = at('watch-parent.mjs')
export const parentWatchCode = [folder]

export const locateDocsAssets = () => at('docs/')

export const consoleScript = at('console.js')

// The folder of a bundle may be read-only.
export const stateFolder = new URL('.data/', pathToFileURL(`${process.cwd()}/`))
