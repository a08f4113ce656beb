import { join } from 'node:path'
import { type BuildResult, build } from 'esbuild'

const root = join(import.meta.dirname, '../../..')

export const bundleModule = async (
  contents: string,
  { minify = false, globalName }: { readonly minify?: boolean; readonly globalName?: string } = {},
): Promise<BuildResult<{ metafile: true }> & { readonly text: string }> => {
  const result = await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    metafile: true,
    minify,
    ...(globalName ? { format: 'iife' as const, globalName } : { format: 'esm' as const }),
    platform: 'neutral',
    mainFields: ['module', 'main'],
  })
  return { ...result, text: result.outputFiles?.[0]?.text ?? '' }
}
