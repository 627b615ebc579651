"""Functions of design documents that answer requests: _show, _list, _update and _rewrite."""

import socket
import threading

import pytest
import requests

SHOWS = {
    "hello": "function (doc, req) { return doc ? 'Hello ' + doc.name : req.id ? 'New ' + req.id : 'Empty'; }",
    "json": "function (doc, req) { return {json: doc}; }",
    "request": "function (doc, req) { return {json: req}; }",
    "status": "function (doc, req) { return {code: 404, body: 'No such', headers: {'X-Tag': 'a', 'Etag': 'mine'}}; }",
    "binary": "function () { return {base64: 'aGVsbG8=', headers: {'Content-Type': 'image/png'}}; }",
    "fails": "function () { return nobody.there; }",
    "needs": "function (doc) { return doc._id; }",
    "nothing": "function () { return 1; }",
    "odd": "function () { return {body: 'x', colour: 'red'}; }",
    "loops": "function () { for (;;); }",
    "sends": "function () { start({'X-Begun': 'yes'}); send('one '); send('two '); return 'three'; }",
    "provides": """function (doc) {
        registerType('foo', 'application/foo', 'application/x-foo');
        provides('html', function () { return '<p>' + doc.name; });
        provides('foo', function () { return 'foofoo'; });
    }""",
    "ordered": """function () {
        provides('text', function () { send('4, '); send('5, '); return '6!'; });
        send('1, '); send('2, '); return '3, ';
    }""",
    "secrets": "function (doc, req) { return {json: [req.headers, req.cookie, req.userCtx]}; }",
}
LISTS = {
    "plain": "function () { send('head '); var row; while (row = getRow()) send(row.key + ' '); return 'tail'; }",
    "json": """function (head, req) {
        start({headers: {'Content-Type': 'application/json'}});
        var row, rows = [];
        while (row = getRow()) rows.push(row);
        head.rows = rows;
        return toJSON(head);
    }""",
    "late": "function () { getRow(); start({code: 418, headers: {'X-Late': 'yes'}}); send('teapot'); }",
    "stops": "function () { send('a'); getRow(); send('b'); return 'c'; }",
    "empty": "function () { return ' '; }",
    "fails": "function () { getRow(); send(nobody); }",
    "offers": "function () { provides('html', function () { send('<'); while (getRow()) send('.'); return '>'; }); }",
    "large": "function () { var row; while (row = getRow()) send(new Array(1000).join(row.id)); }",
    "loops": "function () { while (getRow()); for (;;); }",
}
UPDATES = {
    "set": """function (doc, req) {
        if (!doc) return req.id ? [{_id: req.id, made: true}, 'made'] : [null, 'nothing'];
        doc[req.query.field] = req.query.value;
        return [doc, {code: 202, body: 'set', headers: {'X-Set': 'yes'}}];
    }""",
    "form": "function (doc, req) { for (var name in req.form) doc[name] = req.form[name]; return [doc, 'formed']; }",
    "nameless": "function () { return [{}, 'oops']; }",
    "uuid": "function (doc, req) { return [null, req.uuid]; }",
    "fails": "function () { nobody.there; }",
    "stale": "function (doc) { delete doc._revisions; doc._rev = '1-00000000000000000000000000000000'; return [doc, 'x']; }",
}
VIEWS = {"by_n": {"map": "function (doc) { if (doc.n !== undefined) emit(doc.n, doc.name); }", "reduce": "_count"}}


@pytest.fixture
def app(couch):
    documents = [{"_id": f"d{n}", "n": n, "name": f"name{n}"} for n in range(10)]
    assert requests.post(f"{couch}/_bulk_docs", json={"docs": documents}).status_code == 201
    design(couch, shows=SHOWS, lists=LISTS, updates=UPDATES, views=VIEWS)
    return f"{couch}/_design/app"


def design(couch, name="app", **members):
    answer = requests.put(f"{couch}/_design/{name}", json=members)
    assert answer.status_code == 201, answer.text


def refused(answer, status, error):
    assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text
    return answer.json()["reason"]


def test_a_show_is_handed_a_document_or_none(app):
    for path, text in (("hello", "Empty"), ("hello/d1", "Hello name1"), ("hello/there", "New there")):
        answer = requests.get(f"{app}/_show/{path}")
        assert (answer.status_code, answer.text) == (200, text)
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.headers["Content-Security-Policy"] == "sandbox"
        assert answer.headers["Vary"] == "Accept"
    shown = requests.get(f"{app}/_show/json/d1").json()
    assert (shown["_id"], shown["n"], shown["_revisions"]["start"]) == ("d1", 1, 1)


def test_a_document_whose_id_has_slashes_is_found(couch, app):
    requests.put(f"{couch}/a%2Fb%2Fc", json={"name": "deep"})
    assert requests.get(f"{app}/_show/hello/a/b/c").text == "Hello deep"
    assert requests.put(f"{app}/_update/set/a/b/c?field=x&value=y").status_code == 202
    assert requests.get(f"{couch}/a%2Fb%2Fc").json()["x"] == "y"


def test_a_show_says_how_it_is_answered(app):
    answer = requests.get(f"{app}/_show/status")
    assert (answer.status_code, answer.text, answer.headers["X-Tag"]) == (404, "No such", "a")
    assert answer.headers["ETag"] != "mine"
    answer = requests.get(f"{app}/_show/binary")
    assert (answer.content, answer.headers["Content-Type"]) == (b"hello", "image/png")
    answer = requests.get(f"{app}/_show/sends")
    assert (answer.text, answer.headers["X-Begun"]) == ("one two three", "yes")


def test_a_show_is_tagged_by_its_document_and_what_is_accepted(couch, app):
    first = requests.get(f"{app}/_show/hello/d1").headers["ETag"]
    assert requests.get(f"{app}/_show/hello/d1", headers={"If-None-Match": first}).status_code == 304
    assert requests.get(f"{app}/_show/hello/d1", headers={"Accept": "text/html"}).headers["ETag"] != first
    revision = requests.get(f"{couch}/d1").json()["_rev"]
    requests.put(f"{couch}/d1", json={"_rev": revision, "name": "other"})
    assert requests.get(f"{app}/_show/hello/d1", headers={"If-None-Match": first}).text == "Hello other"


def test_a_show_offers_media_types(app):
    def offered(**headers):
        return requests.get(f"{app}/_show/provides/d1", headers=headers)

    answer = offered(Accept="text/html,application/atom+xml; q=0.9")
    assert (answer.text, answer.headers["Content-Type"]) == ("<p>name1", "text/html; charset=utf-8")
    answer = offered(Accept="application/x-foo")
    assert (answer.text, answer.headers["Content-Type"]) == ("foofoo", "application/x-foo")
    assert offered(Accept="*/*").text == "<p>name1"
    assert requests.get(f"{app}/_show/provides/d1?format=foo").text == "foofoo"
    assert "not supported, try one of: " in refused(offered(Accept="text/monkeys"), 406, "not_acceptable")
    assert requests.get(f"{app}/_show/ordered?format=text").text == "1, 2, 3, 4, 5, 6!"


def test_a_function_sees_the_request_but_no_secrets(app):
    headers = {"X-Foo": "bar", "Cookie": "kept=abc", "Accept": "*/*"}
    url = f"{app}/_show/request/d1?foo=bar&startkey=[1]"
    seen = requests.get(url, headers=headers).json()
    assert seen["query"] == {"foo": "bar", "startkey": [1]}
    assert (seen["method"], seen["id"], seen["path"][1:]) == ("GET", "d1", ["_design", "app", "_show", "request", "d1"])
    assert seen["headers"]["X-Foo"] == "bar" and "Host" in seen["headers"] and "Cookie" not in seen["headers"]
    assert seen["raw_path"].endswith("/_show/request/d1?foo=bar&startkey=%5B1%5D")
    assert seen["info"]["db_name"] == seen["path"][0] and seen["info"]["doc_count"] == 11
    assert len(seen["uuid"]) == 32 and seen["cookie"] == {} and seen["peer"] == "127.0.0.1"
    assert seen["body"] == "undefined" and seen["form"] == {}
    seen = requests.post(f"{app}/_show/request", data={"a": "b c"}).json()
    assert (seen["body"], seen["form"]) == ("a=b+c", {"a": "b c"})


def test_what_goes_wrong_in_a_show_is_told_as_by_couchdb(couch, app):
    assert refused(requests.get(f"{app}/_show/"), 404, "show_error") == "Invalid path."
    assert refused(requests.get(f"{app}/_show/none"), 404, "not_found") == "missing json key: none"
    assert "ReferenceError" in refused(requests.get(f"{app}/_show/fails"), 500, "render_error")
    assert refused(requests.get(f"{app}/_show/needs/gone"), 404, "not_found") == "document not found"
    refused(requests.get(f"{app}/_show/nothing"), 500, "render_error")
    refused(requests.get(f"{app}/_show/odd"), 500, "external_response_error")
    refused(requests.get(f"{couch}/_design/none/_show/hello"), 404, "not_found")
    refused(requests.get(f"{app}/_show/loops"), 500, "os_process_error")
    assert requests.get(f"{app}/_show/hello").text == "Empty"


def test_a_list_is_handed_the_rows_of_a_view(app):
    answer = requests.get(f"{app}/_list/plain/by_n?reduce=false")
    assert answer.text == "head 0 1 2 3 4 5 6 7 8 9 tail"
    assert requests.get(f"{app}/_list/plain/by_n?reduce=false&startkey=3&endkey=5").text == "head 3 4 5 tail"
    assert requests.get(f"{app}/_list/plain/by_n?reduce=false&startkey=99").text == "head tail"
    assert requests.get(f"{app}/_list/plain/by_n?group=true&limit=2").text == "head 0 1 tail"
    assert requests.get(f'{app}/_list/plain/by_n?reduce=false&keys=[2,4]').text == "head 2 4 tail"
    posted = requests.post(f"{app}/_list/plain/by_n?reduce=false", json={"keys": [7, 1]})
    assert posted.text == "head 7 1 tail"


def test_a_list_of_a_view_is_what_the_view_answers(couch, app):
    for query in ("reduce=false", "reduce=false&include_docs=true", "reduce=false&descending=true&limit=3"):
        listed = requests.get(f"{app}/_list/json/by_n?{query}")
        assert listed.headers["Content-Type"] == "application/json"
        assert listed.json() == requests.get(f"{app}/_view/by_n?{query}").json()
    assert requests.get(f"{app}/_list/json/_all_docs").json() == requests.get(f"{couch}/_all_docs").json()


def test_a_list_may_use_the_view_of_another_design_document(couch, app):
    design(couch, "other", views={"down": {"map": "function (doc) { emit(-doc.n); }"}})
    assert requests.get(f"{app}/_list/plain/other/down?startkey=-2&endkey=0").text == "head -2 -1 0 tail"


def test_a_list_says_how_it_is_answered(app):
    answer = requests.get(f"{app}/_list/late/by_n?reduce=false")
    assert (answer.status_code, answer.text, answer.headers["X-Late"]) == (418, "teapot", "yes")
    assert requests.get(f"{app}/_list/stops/by_n?reduce=false").text == "abc"
    assert requests.get(f"{app}/_list/empty/by_n?reduce=false").text == " "
    answer = requests.get(f"{app}/_list/offers/by_n?reduce=false", headers={"Accept": "text/html"})
    assert (answer.text, answer.headers["Content-Type"]) == ("<..........>", "text/html; charset=utf-8")


def test_what_goes_wrong_in_a_list_is_told_as_by_couchdb(app):
    assert refused(requests.get(f"{app}/_list/plain"), 404, "list_error") == "Invalid path."
    refused(requests.put(f"{app}/_list/plain/by_n"), 405, "method_not_allowed")
    assert refused(requests.get(f"{app}/_list/none/by_n"), 404, "not_found") == "missing json key: none"
    refused(requests.get(f"{app}/_list/plain/none"), 404, "not_found")
    refused(requests.get(f"{app}/_list/plain/by_n?limit=x"), 400, "query_parse_error")
    assert "ReferenceError" in refused(requests.get(f"{app}/_list/fails/by_n"), 500, "render_error")
    refused(requests.get(f"{app}/_list/loops/by_n"), 500, "os_process_error")


def test_lists_that_nobody_reads_wait_and_let_others_go_on(server, couch, app):
    documents = [{"_id": f"e{n:04}", "n": n} for n in range(2000)]
    requests.post(f"{couch}/_bulk_docs", json={"docs": documents})
    host, port = server.couch.split("//")[1].split(":")
    path = f"/{couch.rsplit('/', 1)[1]}/_design/app/_list/large/by_n?reduce=false"
    waiting = []
    for _ in range(5):
        client = socket.create_connection((host, int(port)))
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        waiting.append(client)
    assert requests.get(f"{app}/_list/plain/by_n?reduce=false&limit=1", timeout=20).text == "head 0 tail"
    whole = requests.get(f"{app}/_list/large/by_n?reduce=false", timeout=60)
    assert len(whole.content) == 999 * (10 * 2 + 2000 * 5)
    for client in waiting:
        client.close()


def test_an_update_makes_and_changes_documents(couch, app):
    answer = requests.put(f"{app}/_update/set/new%20one")
    assert (answer.status_code, answer.text, answer.headers["X-Couch-Id"]) == (201, "made", "new%20one")
    made = requests.get(f"{couch}/new%20one").json()
    assert (made["made"], made["_rev"]) == (True, answer.headers["X-Couch-Update-NewRev"])
    answer = requests.post(f"{app}/_update/set/d1?field=title&value=test")
    assert (answer.status_code, answer.text, answer.headers["X-Set"]) == (202, "set", "yes")
    assert requests.get(f"{couch}/d1").json()["title"] == "test"
    answer = requests.post(f"{app}/_update/set")
    assert (answer.status_code, answer.text) == (200, "nothing")
    assert len(requests.post(f"{app}/_update/uuid").text) == 32
    assert requests.put(f"{app}/_update/form/d2", data={"colour": "red"}).text == "formed"
    assert requests.get(f"{couch}/d2").json()["colour"] == "red"


def test_what_goes_wrong_in_an_update_is_told_as_by_couchdb(couch, app):
    assert refused(requests.post(f"{app}/_update/"), 404, "update_error") == "Invalid path."
    refused(requests.post(f"{app}/_update/none"), 404, "not_found")
    refused(requests.get(f"{app}/_update/set"), 405, "method_not_allowed")
    refused(requests.post(f"{app}/_update/fails"), 500, "render_error")
    reason = refused(requests.post(f"{app}/_update/nameless"), 400, "illegal_docid")
    assert reason == "Document id must not be empty"
    refused(requests.post(f"{app}/_update/stale/d1"), 409, "conflict")
    design(couch, "guard", validate_doc_update="function (doc) { if (doc.made) throw({forbidden: 'not so'}); }")
    assert refused(requests.post(f"{app}/_update/set/x"), 403, "forbidden") == "not so"


RULES = [
    {"from": "file", "to": "../app/file.txt"},
    {"from": "hello/:id", "to": "_update/set/:id", "method": "PUT"},
    {"from": "hello/:id", "to": "_show/hello/:id", "method": "GET"},
    {"from": "fixed", "to": "_list/plain/by_n", "query": {"reduce": False, "startkey": 3, "endkey": 4}},
    {"from": "range/:low/:high", "to": "_list/plain/by_n",
     "query": {"reduce": "false", "startkey": ":low", "endkey": ":high"}, "formats": {"low": "int", "high": "int"}},
    {"from": "keyed/:a/:b", "to": "_show/request", "query": {"key": [":a", ":b"]}},
    {"from": "all/*", "to": "_show/*"},
    {"from": "/db/*", "to": "../../*"},
    {"from": "loop", "to": "_rewrite/loop"},
    {"from": "/", "to": "_view/by_n", "query": {"reduce": "true"}},
]


def test_rules_lead_requests_to_other_paths(couch, app):
    design(couch, "rules", rewrites=[
        {**rule, "to": rule["to"] if rule["to"].startswith(("../", "_rewrite")) else f"../app/{rule['to']}"}
        for rule in RULES
    ])
    led = f"{couch}/_design/rules/_rewrite"
    assert requests.get(f"{led}/hello/d3").text == "Hello name3"
    assert requests.put(f"{led}/hello/new").status_code == 201
    assert requests.get(f"{led}/fixed").text == "head 3 4 tail"
    assert requests.get(f"{led}/fixed?startkey=9").text == "head 3 4 tail"
    assert requests.get(f"{led}/range/5/7").text == "head 5 6 7 tail"
    assert requests.get(f"{led}/keyed/x/y").json()["query"]["key"] == ["x", "y"]
    assert requests.get(f"{led}/all/hello/d1").text == "Hello name1"
    assert requests.get(f"{led}").json()["rows"] == [{"key": None, "value": 10}]
    shown = requests.get(f"{led}/db/d1?meta=true").json()
    assert shown["_id"] == "d1" and "_revs_info" in shown
    asked = requests.get(f"{led}/keyed/x/y").json()
    assert asked["requested_path"][3] == "_rewrite" and asked["path"][3] == "_show"
    assert refused(requests.get(f"{led}/nowhere"), 404, "not_found") == "missing"
    assert "recursion" in refused(requests.get(f"{led}/loop"), 400, "bad_request")


def test_rules_lead_out_of_the_database_only_where_that_is_allowed(server, couch):
    design(couch, "out", rewrites=[{"from": "uuids", "to": "../../../_uuids"}])
    refused(requests.get(f"{couch}/_design/out/_rewrite/uuids"), 500, "insecure_rewrite_rule")
    setting = f"{server.couch}/_node/_local/_config/chttpd/secure_rewrites"
    requests.put(setting, json="false")
    try:
        assert len(requests.get(f"{couch}/_design/out/_rewrite/uuids").json()["uuids"]) == 1
    finally:
        requests.delete(setting)
    design(couch, "none", views={})
    refused(requests.get(f"{couch}/_design/none/_rewrite/x"), 404, "rewrite_error")


REWRITE = """function (req) {
    var rest = req.path.slice(4);
    if (rest[0] === 'hello') return '../app/_show/hello/' + rest[1];
    if (rest[0] === 'post') return {path: '../app/_list/plain/by_n', method: 'POST', query: {reduce: 'false'},
                                    headers: {'Content-Type': 'application/json'}, body: JSON.stringify({keys: [4]})};
    if (rest[0] === 'own') return {code: 451, body: '{"a":1}', headers: {'Content-Type': 'application/json'}};
    if (rest[0] === 'changes') return {path: '../../_changes', query: {filter: '_doc_ids'}};
    if (rest[0] === 'bad') return {path: 1};
    if (rest[0] === 'fails') return nobody.there;
}"""


def test_a_function_leads_requests_to_other_paths(couch, app):
    design(couch, "led", rewrites=REWRITE)
    led = f"{couch}/_design/led/_rewrite"
    assert requests.get(f"{led}/hello/d5").text == "Hello name5"
    assert requests.get(f"{led}/post").text == "head 4 tail"
    answer = requests.get(f"{led}/own")
    assert (answer.status_code, answer.json()) == (451, {"a": 1})
    changed = requests.post(f"{led}/changes", json={"doc_ids": ["d2"]}).json()["results"]
    assert [change["id"] for change in changed] == ["d2"]
    assert refused(requests.get(f"{led}/else"), 404, "rewrite_error") == "Invalid path."
    assert refused(requests.get(f"{led}/bad"), 500, "rewrite_error") == "bad path"
    assert "ReferenceError" in refused(requests.get(f"{led}/fails"), 500, "rewrite_error")


def test_functions_run_side_by_side(app):
    texts = []
    threads = [
        threading.Thread(target=lambda n=n: texts.append(requests.get(f"{app}/_show/hello/d{n % 10}").text))
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts) == sorted(f"Hello name{n % 10}" for n in range(20))
