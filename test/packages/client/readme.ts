import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const readme = join(import.meta.dirname, '../../../packages/client/README.md')

/** Reads the code blocks in one language from the client's README, in order. */
export const readCodeBlocks = async (language: 'js' | 'html') =>
  Array.from(
    (await readFile(readme, 'utf8')).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm')),
    ([, code = '']) => code,
  )
