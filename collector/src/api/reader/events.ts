/** Server-sent events (HTML Living Standard, section 9.2) from a response to `fetch`, as far as the collector sends them. */

/** An event with its data, which is one line of JSON. */
export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

const field = (lines: readonly string[], name: string): string | undefined =>
  lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);

/** The events of a body as they come. Comments, which keep the connection alive, are left out. `onPart` is called whenever anything comes. */
export async function* eventsOf(body: ReadableStream<Uint8Array>, onPart: () => void): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = []; // a large answer comes in thousands of parts, so they are joined once
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      onPart();
      parts.push(decoder.decode(next.value, { stream: true }));
      if (!`${parts.at(-2)?.slice(-1) ?? ''}${parts.at(-1)}`.includes('\n\n')) continue;
      const blocks = parts.splice(0).join('').split('\n\n');
      parts.push(blocks.pop() ?? '');
      for (const block of blocks) {
        const lines = block.split('\n');
        const [event, data] = [field(lines, 'event'), field(lines, 'data')];
        if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
