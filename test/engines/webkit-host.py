"""WebKitGTK's views for tests: obeys lines of JSON on standard input, and answers each by its number on standard output.

MiniBrowser keeps nothing when it is driven by WebDriver (--automation implies a private session), so that no profile would
outlive it. This is the least browser that does: windows over one website data manager in a folder.
"""

import json
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gio, GLib, Gtk, WebKit2  # noqa: E402

profile = sys.argv[1]
context = WebKit2.WebContext(
    website_data_manager=WebKit2.WebsiteDataManager(
        base_data_directory=f"{profile}/data", base_cache_directory=f"{profile}/cache"
    )
)
settings = WebKit2.Settings(enable_page_cache=True)
views = {}


def answer(number, **content):
    print(json.dumps({"id": number, **content}), flush=True)


def open_page(number, page, _):
    """Shows an empty window. Windows, not tabs: each is in sight."""
    view = views[page] = WebKit2.WebView(web_context=context, settings=settings)
    window = Gtk.Window(default_width=1280, default_height=720)
    window.add(view)
    window.show_all()

    def closed(_):
        views.pop(page, None)
        window.destroy()

    view.connect("close", closed)
    answer(number)


def evaluate(number, page, expression):
    def evaluated(view, result):
        try:
            value = view.call_async_javascript_function_finish(result)
            answer(number, result=value.to_string())
        except GLib.Error as error:
            answer(number, error=error.message)

    views[page].call_async_javascript_function(f"return {expression}", -1, None, None, None, None, evaluated)


def navigate(go):
    """Answers when what `go` loads, or takes from the cache of pages, is there."""

    def command(number, page, text):
        view = views[page]
        failures = []

        def failed(_view, _event, uri, error):
            failures.append(f"{uri}: {error.message}")
            return False

        def changed(_, event):
            if event != WebKit2.LoadEvent.FINISHED:
                return
            for handler in handlers:
                view.disconnect(handler)
            answer(number, **({"error": failures[0]} if failures else {}))

        handlers = [view.connect("load-failed", failed), view.connect("load-changed", changed)]
        go(view, text)

    return command


def resize(number, page, text):
    views[page].get_toplevel().resize(*map(int, text.split()))
    answer(number)


def close(number, page, _):
    views[page].try_close()
    answer(number)


COMMANDS = {
    "open": open_page,
    "evaluate": evaluate,
    "goto": navigate(lambda view, url: view.load_uri(url)),
    "back": navigate(lambda view, _: view.go_back()),
    "reload": navigate(lambda view, _: view.reload()),
    "resize": resize,
    "close": close,
}


def obey(stream, result):
    line, _ = stream.read_line_finish_utf8(result)
    if line is None:
        Gtk.main_quit()
        return
    command = json.loads(line)
    try:
        COMMANDS[command["method"]](command["id"], command["page"], command["text"])
    except KeyError:
        answer(command["id"], error="expected a page that is open")
    stream.read_line_async(GLib.PRIORITY_DEFAULT, None, obey)


commands = Gio.DataInputStream.new(Gio.UnixInputStream.new(sys.stdin.fileno(), False))
commands.read_line_async(GLib.PRIORITY_DEFAULT, None, obey)
Gtk.main()
