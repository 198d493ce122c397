/** The result of an audit of a deployed app as a document: Markdown, or a page of HTML. */

import { canonicalSchema } from '@murmuration/shared';
import type { Deployed } from './deployed.ts';

/** A part of the document. */
type Part =
  | { readonly heading: string }
  | { readonly text: string }
  | { readonly list: readonly string[] }
  | { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly code: string };

const VERDICTS: Readonly<Record<Deployed['verdict'], string>> = {
  failed: 'A check failed.',
  passed: 'Nothing failed. That proves what was tested, and nothing else.',
  'not tested': 'Nothing could be tested.',
};

/** The parts, in their order. */
function partsOf({ url, verdict, rows, schema, hashes, untested }: Deployed): readonly Part[] {
  return [
    { text: VERDICTS[verdict] },
    {
      columns: ['', ''],
      rows: [['page', url], ...(schema ? [['schema', schema.name] as const, ['fingerprint', schema.fingerprint] as const] : [])],
    },
    { heading: 'Checks' },
    { columns: ['check', 'verdict', 'evidence'], rows: rows.map(({ check, verdict: each, evidence }) => [check, each, evidence]) },
    { heading: 'Not tested' },
    { list: untested },
    { heading: 'Scripts' },
    { columns: ['script', 'SHA-256'], rows: Object.entries(hashes) },
    ...(schema ? [{ heading: 'Schema' }, { code: canonicalSchema(schema.document) }] : []),
  ];
}

/** A text that came from the page, in one line. */
const flat = (text: string): string => text.replace(/\s+/g, ' ');

/** The same for Markdown: nothing in it is a mark or a tag. */
const marked = (text: string): string => flat(text).replace(/[\\`*_[\]<>|#&~$!]/g, '\\$&');

const markdownRow = (cells: readonly string[]): string => `| ${cells.map(marked).join(' | ')} |`;

/** A fence that the code does not have. */
function fenced(code: string): string {
  const fence = '`'.repeat(1 + Math.max(2, ...(code.match(/`+/g) ?? []).map(({ length }) => length)));
  return `${fence}json\n${code}\n${fence}`;
}

function markdownPart(part: Part): string {
  if ('heading' in part) return `## ${part.heading}`;
  if ('text' in part) return `**${part.text}**`;
  if ('list' in part) return part.list.map((each) => `- ${marked(each)}`).join('\n');
  if ('code' in part) return fenced(part.code);
  return [markdownRow(part.columns), `|${' --- |'.repeat(part.columns.length)}`, ...part.rows.map(markdownRow)].join('\n');
}

const TITLE = 'Audit of a deployed app';

/** The result in Markdown. */
export const deployedMarkdown = (result: Deployed): string => `${[`# ${TITLE}`, ...partsOf(result).map(markdownPart)].join('\n\n')}\n`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] as string);

const htmlRow = (cells: readonly string[], tag: 'td' | 'th'): string =>
  `<tr class="${escaped(cells[1] ?? '').replaceAll(' ', '-')}">${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;

function htmlPart(part: Part): string {
  if ('heading' in part) return `<h2>${part.heading}</h2>`;
  if ('text' in part) return `<p><strong>${escaped(part.text)}</strong></p>`;
  if ('list' in part) return `<ul>${part.list.map((each) => `<li>${escaped(each)}</li>`).join('')}</ul>`;
  if ('code' in part) return `<pre>${escaped(part.code)}</pre>`;
  const head = part.columns.some(Boolean) ? `<thead>${htmlRow(part.columns, 'th')}</thead>` : '';
  return `<table>${head}<tbody>${part.rows.map((cells) => htmlRow(cells, 'td')).join('')}</tbody></table>`;
}

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid #8884; overflow-wrap: anywhere }
td:first-child, th:first-child { width: 14rem }
:is(td, th):nth-child(2):not(:last-child) { white-space: nowrap }
tr.failed td:nth-child(2) { font-weight: 700; color: light-dark(#b3261e, #ff8a80) }
tr.not-tested { opacity: .8 }
pre { white-space: pre-wrap; overflow-wrap: anywhere }
`;

/** The result as a page that loads nothing and runs nothing. */
export const deployedHtml = (result: Deployed): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${TITLE}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${TITLE}</h1>
${partsOf(result).map(htmlPart).join('\n')}
</body>
</html>
`;
