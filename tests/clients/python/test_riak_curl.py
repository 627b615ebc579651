"""The commands of Riak's documentation (Riak KV 2.2), run by a shell as they stand there; only the address is another."""

import json
import re
import subprocess

import pytest

from server import running


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """Runs a command, and gives what it prints."""
    with running(tmp_path_factory.mktemp("data")) as server:
        def run(command):
            command = re.sub(r"(http://)?(localhost|127\.0\.0\.1):8098", server.riak, command)
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, f"{command}\n{done.stderr}"
            return done.stdout

        yield run


def header(answer, name):
    return re.search(rf"^{name}: (.*?)\r?$", answer, re.MULTILINE | re.IGNORECASE).group(1)


def test_objects_are_stored_read_and_deleted(shell):
    assert shell("curl http://localhost:8098/ping") == "OK"
    assert shell("""curl -XPUT \\
      -H "Content-Type: text/plain" \\
      -d "vroom" \\
      http://localhost:8098/types/cars/buckets/dodge/keys/viper?w=3""") == ""
    seen = shell("curl -i http://localhost:8098/types/cars/buckets/dodge/keys/viper?r=3")
    assert seen.startswith("HTTP/1.1 200 OK") and seen.endswith("vroom")
    assert header(seen, "x-riak-vclock") and header(seen, "link") == '</types/cars/buckets/dodge>; rel="up"'
    made = shell("""curl -i -XPOST \\
      -H "Content-Type: text/plain" \\
      -d "this is a test" \\
      http://localhost:8098/types/users/buckets/random_user_keys/keys""")
    assert made.startswith("HTTP/1.1 201 Created")
    place = header(made, "location")
    assert place.startswith("/types/users/buckets/random_user_keys/keys/")
    assert shell(f"curl http://localhost:8098{place}") == "this is a test"
    shell("""curl -XPUT -H "Content-Type: text/plain" \\
      -d "I have nothing to declare but my genius" \\
      http://localhost:8098/types/quotes/buckets/oscar_wilde/keys/genius""")
    assert shell("curl -i -XDELETE http://localhost:8098/types/quotes/buckets/oscar_wilde/keys/genius").startswith("HTTP/1.1 204")
    assert shell("curl -i http://localhost:8098/types/quotes/buckets/oscar_wilde/keys/genius").startswith("HTTP/1.1 404")


def test_conditions_and_bodies_that_come_back(shell):
    stored = shell("""curl -i -XPUT -H "Content-Type: application/json" -d '{"bar":"baz"}' \\
      http://127.0.0.1:8098/buckets/test/keys/doc?returnbody=true""")
    assert stored.startswith("HTTP/1.1 200 OK") and stored.endswith('{"bar":"baz"}')
    clock, tag = header(stored, "x-riak-vclock"), header(stored, "etag")
    again = shell(f"""curl -i -XPUT -H "Content-Type: application/json" -H 'X-Riak-Vclock: {clock}' -d '{{"bar":"foo"}}' \\
      http://127.0.0.1:8098/riak/test/doc?returnbody=true""")
    assert again.endswith('{"bar":"foo"}') and header(again, "etag") != tag
    tag = header(again, "etag")
    assert shell(f"""curl -i -H 'If-None-Match: {tag}' http://127.0.0.1:8098/buckets/test/keys/doc""").startswith("HTTP/1.1 304")
    refused = shell("""curl -i -XPUT -H 'If-None-Match: *' -H "Content-Type: application/json" -d 1 \\
      http://127.0.0.1:8098/buckets/test/keys/doc""")
    assert refused.startswith("HTTP/1.1 412")


def test_siblings_are_listed_and_resolved(shell):
    for value in ("Ren", "Stimpy"):
        shell(f"""curl -XPUT http://localhost:8098/types/siblings_allowed/buckets/nickolodeon/keys/best_character \\
          -H "Content-Type: text/plain" \\
          -d "{value}" """)
    url = "http://localhost:8098/types/siblings_allowed/buckets/nickolodeon/keys/best_character"
    title, *tags = shell(f"curl {url}").split()
    assert (title, len(tags)) == ("Siblings:", 2)
    assert {shell(f"curl {url}?vtag={tag}") for tag in tags} == {"Ren", "Stimpy"}
    both = shell(f'curl -i -H "Accept: multipart/mixed" {url}')
    assert both.startswith("HTTP/1.1 300") and header(both, "content-type").startswith("multipart/mixed; boundary=")
    assert "\n\nRen\n--" in both and "\n\nStimpy\n--" in both
    shell(f"""curl -XPUT -H "Content-Type: text/plain" -H "X-Riak-Vclock: {header(both, 'x-riak-vclock')}" -d "Stimpy" {url}""")
    assert shell(f"curl {url}") == "Stimpy"


def test_secondary_indexes_find_keys(shell):
    shell("""curl -XPOST localhost:8098/types/indexes/buckets/users/keys/john_smith \\
      -H 'x-riak-index-twitter_bin: jsmith123' \\
      -H 'x-riak-index-email_bin: jsmith@basho.com' \\
      -H 'Content-Type: application/json' \\
      -d '{"userData":"data"}'""")
    assert json.loads(shell("curl localhost:8098/types/indexes/buckets/users/index/twitter_bin/jsmith123")) == {"keys": ["john_smith"]}
    for name, first, second in (("larry", "val1", "1001"), ("moe", "Val2", "1002"), ("curly", "VAL3", "1003"),
                                ("veronica", "val4, val4, val4a, val4b", "1004, 1005, 1006, 1004, 1004, 1007")):
        shell(f"""curl -v -XPUT -d 'data' -H "x-riak-index-field1_bin: {first}" -H "x-riak-index-field2_int: {second}" \\
          -H "Content-Type: text/plain" http://127.0.0.1:8098/types/indexes/buckets/people/keys/{name}""")
    index = "localhost:8098/types/indexes/buckets/people/index"
    assert json.loads(shell(f"curl {index}/field1_bin/val1")) == {"keys": ["larry"]}
    assert json.loads(shell(f"curl {index}/field2_int/1001/1003")) == {"keys": ["larry", "moe", "curly"]}
    terms = json.loads(shell(f"curl '{index}/field2_int/1004/1006?return_terms=true'"))["results"]
    assert terms == [{"1004": "veronica"}, {"1005": "veronica"}, {"1006": "veronica"}]
    page = json.loads(shell(f"curl '{index}/field2_int/1001/1007?max_results=2'"))
    assert page["keys"] == ["larry", "moe"]
    rest = json.loads(shell(f"curl '{index}/field2_int/1001/1007?max_results=2&continuation={page['continuation']}'"))
    assert rest["keys"] == ["curly", "veronica"]
    found = json.loads(shell(f"curl '{index}/field1_bin/v/w?return_terms=true&term_regex=^val4.$'"))["results"]
    assert found == [{"val4a": "veronica"}, {"val4b": "veronica"}]
    assert json.loads(shell(f"curl '{index}/$bucket/_'"))["keys"] == ["curly", "larry", "moe", "veronica"]
    assert json.loads(shell(f"curl '{index}/$key/l/n'"))["keys"] == ["larry", "moe"]
    assert '"keys"' in shell(f"curl '{index}/field2_int/1001/1007?stream=true'")


def test_links_are_stored_and_walked(shell):
    shell("""curl -XPUT -d 'The Beatles' -H 'Content-Type: text/plain' \\
      -H 'Link: </riak/albums/Help>; riaktag="released", </buckets/albums/keys/Revolver>; riaktag="released"' \\
      http://127.0.0.1:8098/riak/artists/TheBeatles""")
    for album in ("Help", "Revolver"):
        shell(f"""curl -XPUT -d '{album}!' -H 'Content-Type: text/plain' -H 'Link: </riak/tracks/{album}-1>; riaktag="tracks"' \\
          http://127.0.0.1:8098/riak/albums/{album}""")
        shell(f"""curl -XPUT -d 'First of {album}' -H 'Content-Type: text/plain' http://127.0.0.1:8098/riak/tracks/{album}-1""")
    seen = shell("curl -i http://127.0.0.1:8098/buckets/artists/keys/TheBeatles")
    assert '</buckets/albums/keys/Help>; riaktag="released"' in header(seen, "link")
    walked = shell("curl -i http://127.0.0.1:8098/riak/artists/TheBeatles/albums,_,_/tracks,_,1")
    assert header(walked, "content-type").startswith("multipart/mixed; boundary=")
    assert "First of Help" in walked and "First of Revolver" in walked and "Help!" not in walked
    with_albums = shell("curl http://127.0.0.1:8098/buckets/artists/keys/TheBeatles/albums,released,1/_,_,_")
    assert "Help!" in with_albums and "First of Help" in with_albums


def test_map_reduce_gives_the_documented_results(shell):
    for key, data in (("foo", "caremad data goes here"), ("bar", "caremad caremad caremad caremad"),
                      ("baz", "nothing to see here"), ("bam", "caremad caremad caremad")):
        shell(f"""curl -XPUT http://localhost:8098/buckets/training/keys/{key} \\
          -H 'Content-Type: text/plain' \\
          -d '{data}'""")
    counted = shell(r"""curl -XPOST http://localhost:8098/mapred \
      -H 'Content-Type: application/json' \
      -d '{"inputs":"training","query":[{"map":{"language":"javascript","source":"function(riakObject) { var m = riakObject.values[0].data.match(/caremad/g); return [[riakObject.key, (m ? m.length : 0 )]]; }"}}]}'""")
    assert sorted(json.loads(counted)) == [["bam", 3], ["bar", 4], ["baz", 0], ["foo", 1]]
    chunked = shell(r"""curl -i -XPOST http://localhost:8098/mapred?chunked=true -H 'Content-Type: application/json' \
      -d '{"inputs":[["training","foo"],["training","bar"]],"query":[{"map":{"language":"erlang","module":"riak_kv_mapreduce","function":"map_object_value"}}]}'""")
    assert header(chunked, "content-type").startswith("multipart/mixed; boundary=")
    assert '"phase":0' in chunked.replace(" ", "")


def test_data_types_are_changed_and_read(shell):
    def change(place, operation):
        return shell(f"""curl -XPOST http://localhost:8098/types/{place} \\
          -H "Content-Type: application/json" \\
          -d '{operation}'""")

    def value(place):
        return json.loads(shell(f"curl http://localhost:8098/types/{place}"))

    tickets = "counters/buckets/counters/datatypes/traffic_tickets"
    change(tickets, '{"increment": 5}')
    change(tickets, '{"decrement": 3}')
    change(tickets, "1")
    assert value(tickets) == {"type": "counter", "value": 3}

    cities = "sets/buckets/travel/datatypes/cities"
    assert shell(f"curl -i http://localhost:8098/types/{cities}").startswith("HTTP/1.1 404")
    change(cities, '{"add_all":["Toronto", "Montreal"]}')
    context = value(cities)["context"]
    change(cities, f'{{"remove":"Montreal","context":"{context}"}}')
    change(cities, '{"add_all":["Hamilton", "Ottawa"]}')
    assert sorted(value(cities)["value"]) == ["Hamilton", "Ottawa", "Toronto"]

    ahmed = "maps/buckets/customers/datatypes/ahmed_info"
    change(ahmed, '{"update":{"first_name_register":"Ahmed","phone_number_register":"5551234567"}}')
    change(ahmed, '{"update":{"enterprise_customer_flag":"disable"}}')
    change(ahmed, '{"update":{"page_visits_counter":1}}')
    change(ahmed, '{"update":{"interests_set":{"add_all":["robots","opera","motorcycles"]}}}')
    change(ahmed, '{"update":{"annika_info_map":{"update":{"first_name_register":"Annika","last_name_register":"Weiss"}}}}')
    whole = value(ahmed)
    change(ahmed, f'{{"remove":["phone_number_register"],"context":"{whole["context"]}"}}')
    left = value(ahmed)["value"]
    assert sorted(left.pop("interests_set")) == ["motorcycles", "opera", "robots"]
    assert left == {"first_name_register": "Ahmed", "enterprise_customer_flag": False, "page_visits_counter": 1,
                    "annika_info_map": {"first_name_register": "Annika", "last_name_register": "Weiss"}}

    darkness = "hlls/buckets/hello/datatypes/darkness"
    change(darkness, '{"add":"hello"}')
    change(darkness, '{"add_all":["my", "old", "friend", "old"]}')
    assert value(darkness)["type"] == "hll" and int(value(darkness)["value"]) == 4


def test_counters_of_buckets_without_a_type_count(shell):
    shell("""curl -XPUT http://localhost:8098/buckets/my_bucket/props -H "Content-Type: application/json" -d '{"props":{"allow_mult":true}}'""")
    shell("""curl -XPOST http://localhost:8098/buckets/my_bucket/counters/my_counter -d "1" """)
    assert shell("curl http://localhost:8098/buckets/my_bucket/counters/my_counter") == "1"


def test_buckets_keys_and_properties(shell):
    for bucket, key in (("files", "a"), ("files", "b"), ("other", "c")):
        shell(f"""curl -XPUT -H "Content-Type: text/plain" -d x http://127.0.0.1:8098/buckets/{bucket}/keys/{key}""")
    assert {"files", "other"} <= set(json.loads(shell("curl http://127.0.0.1:8098/buckets?buckets=true"))["buckets"])
    assert sorted(json.loads(shell("curl http://127.0.0.1:8098/buckets/files/keys?keys=true"))["keys"]) == ["a", "b"]
    streamed = shell("curl -i http://127.0.0.1:8098/buckets/files/keys?keys=stream")
    assert header(streamed, "transfer-encoding") == "chunked" and '"a"' in streamed and '"b"' in streamed
    shell("""curl -XPUT http://localhost:8098/types/n_val_of_5/props -H "Content-Type: application/json" -d '{"props":{"n_val":5}}'""")
    assert json.loads(shell("curl http://localhost:8098/types/n_val_of_5/props"))["props"]["n_val"] == 5
    assert json.loads(shell("curl http://localhost:8098/types/n_val_of_5/buckets/b/props"))["props"]["n_val"] == 5
    shell("""curl -v -XPUT http://127.0.0.1:8098/buckets/test/props -H "Content-Type: application/json" -d '{"props":{"n_val":5}}'""")
    properties = json.loads(shell("curl -v http://127.0.0.1:8098/buckets/test/props"))["props"]
    assert (properties["name"], properties["n_val"], properties["allow_mult"]) == ("test", 5, False)
    shell("curl -XDELETE http://127.0.0.1:8098/buckets/test/props")
    assert json.loads(shell("curl http://127.0.0.1:8098/buckets/test/props"))["props"]["n_val"] == 3
    assert json.loads(shell('curl -H "Accept: application/json" http://127.0.0.1:8098/stats'))["node_puts_total"] >= 3
