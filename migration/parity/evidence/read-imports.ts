import { init, parse } from 'es-module-lexer'

// For the names of exports, the lexer reads the initializers of exported variables, and some types in them are no
// JavaScript. Only imports matter here.
const exportedVariable = /^export (?=(?:const|let) )/gm
const typesOnly = /^(?:import|export)\s+type\b/

await init

/** What a TypeScript file imports at run time, as it is written. Throws an error that names `path` if it is none. */
export const readImports = (source: string, path: string): string[] => {
  const text = source.replace(exportedVariable, '')
  const [imports] = parse(text, path)
  return imports.flatMap(({ n: specifier, ss: start, se: end }) =>
    specifier !== undefined && !typesOnly.test(text.slice(start, end)) ? [specifier] : [],
  )
}
